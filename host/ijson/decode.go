package ijson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal for a text that Check passes, into what v points
// to, with names that are case-sensitive. It knows structs and their json tags,
// embedded structs, pointers, slices, and whatever else encoding/json reads.
// Unknown names are ignored. Only the bytes that end up in v are copied.
func Unmarshal(text []byte, v any) error {
	if err := Check(text); err != nil {
		return err
	}
	return Decode(text, v)
}

// Decode is Unmarshal for a text that was checked already.
func Decode(text []byte, v any) error {
	return decode(text[space(text, 0):], reflect.ValueOf(v).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func decode(text []byte, v reflect.Value) error {
	t := v.Type()
	null := text[0] == 'n'
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler):
	case t.Kind() == reflect.Pointer:
		if null {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(t.Elem()))
		return decode(text, v.Elem())
	case t.Kind() == reflect.Struct:
		if text[0] != '{' && !null {
			return fmt.Errorf("want an object, got %.20s", text)
		}
		return decodeObject(text, v)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		if text[0] != '[' && !null {
			return fmt.Errorf("want an array, got %.20s", text)
		}
		v.SetZero()
		if null {
			return nil
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		for item := range Elements(text) {
			if v.Len() == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(v.Len() + 1)
			if err := decode(item, v.Index(v.Len()-1)); err != nil {
				return err
			}
		}
		return nil
	}
	return json.Unmarshal(text, v.Addr().Interface())
}

// decodeObject fills a struct, those embedded in it too.
func decodeObject(text []byte, v reflect.Value) error {
	for name, value := range Members(text) {
		f, ok := field(v, name)
		if !ok {
			continue
		}
		if err := decode(value, f); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// field finds the field whose tag has the name.
func field(v reflect.Value, name string) (reflect.Value, bool) {
	t := v.Type()
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			if f, ok := field(v.Field(i), name); ok {
				return f, true
			}
			continue
		}
		tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if tag == name && tag != "" && tag != "-" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}
