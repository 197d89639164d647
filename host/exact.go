package host

import (
	"encoding/json"
	"reflect"
	"strings"
)

// unmarshal is json.Unmarshal for what a guest says, with case-sensitive keys:
// package abi promises that, and two readers that disagree about which of "op"
// and "OP" counts are how checks are got around (threat R9). Of a repeated key the
// last one counts; unknown keys are ignored.
func unmarshal(data []byte, v any) error {
	return exact(data, reflect.ValueOf(v).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func exact(data []byte, v reflect.Value) error {
	t := v.Type()
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler):
		return json.Unmarshal(data, v.Addr().Interface())
	case t.Kind() == reflect.Pointer:
		if string(data) == "null" {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(t.Elem()))
		return exact(data, v.Elem())
	case t.Kind() == reflect.Struct:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		return exactFields(object, v)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return err
		}
		if items == nil {
			v.SetZero()
			return nil
		}
		v.Set(reflect.MakeSlice(t, len(items), len(items)))
		for i := range items {
			if err := exact(items[i], v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return json.Unmarshal(data, v.Addr().Interface())
}

// exactFields fills a struct, those embedded in it too.
func exactFields(object map[string]json.RawMessage, v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if err := exactFields(object, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		data, ok := object[name]
		if !ok || name == "-" {
			continue
		}
		if err := exact(data, v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
