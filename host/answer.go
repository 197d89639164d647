package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
)

// answer is what a guest answered; exactly one field is set.
type answer struct {
	result *abi.Result
	denied *deniedAnswer
	raised *raisedAnswer
	keys   *[]string
}

type deniedAnswer struct {
	Path  string `json:"path"`
	Why   string `json:"why"`
	Write bool   `json:"write"`
}

type raisedAnswer struct {
	Message string `json:"message"`
}

type resultAnswer struct {
	Content []partAnswer    `json:"content"`
	Fields  json.RawMessage `json:"fields"`
	IsError bool            `json:"is_error"`
}

type partAnswer struct {
	Type       string  `json:"type"`
	Text       *string `json:"text"`
	MIME       string  `json:"mime"`
	Attachment *int    `json:"attachment"`
}

// parseAnswer reads a guest's answer; blob finds a text that the call keeps.
// Every text comes out as valid UTF-8.
func parseAnswer(f *abi.Frame, blob func(int) ([]byte, bool)) (*answer, error) {
	var raw struct {
		Result *resultAnswer `json:"result"`
		Denied *deniedAnswer `json:"denied"`
		Raised *raisedAnswer `json:"raised"`
		Keys   *[]string     `json:"keys"`
	}
	if err := unmarshal(f.Header, &raw); err != nil {
		return nil, fmt.Errorf("broken JSON: %w", err)
	}
	n := 0
	for _, set := range []bool{raw.Result != nil, raw.Denied != nil, raw.Raised != nil, raw.Keys != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return nil, errors.New("want exactly one of result, denied, raised and keys")
	}
	a := &answer{denied: raw.Denied, raised: raw.Raised, keys: raw.Keys}
	if raw.Result == nil {
		return a, nil
	}
	r := &abi.Result{IsError: raw.Result.IsError}
	for i, p := range raw.Result.Content {
		part, err := p.part(f)
		if err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
		r.Content = append(r.Content, part)
	}
	var err error
	if r.Fields, err = parseFields(raw.Result.Fields, f, blob); err != nil {
		return nil, err
	}
	a.result = r
	return a, nil
}

func (p *partAnswer) part(f *abi.Frame) (abi.Part, error) {
	var data []byte
	if p.Attachment != nil {
		var ok bool
		if data, ok = f.Attachment(*p.Attachment); !ok {
			return abi.Part{}, fmt.Errorf("no attachment %d", *p.Attachment)
		}
	}
	switch {
	case p.Type == "text" && p.Text != nil && p.Attachment == nil:
		return abi.Part{Text: *p.Text}, nil
	case p.Type == "text" && p.Text == nil && p.Attachment != nil:
		return abi.Part{Text: string(validUTF8(data))}, nil
	case p.Type == "image" && p.Attachment != nil:
		if !imageTypes[p.MIME] {
			return abi.Part{}, fmt.Errorf("image type %q", p.MIME)
		}
		return abi.Part{Image: append([]byte{}, data...), MIME: p.MIME}, nil
	}
	return abi.Part{}, fmt.Errorf("want a text with text or attachment, or an image with attachment, got type %q", p.Type)
}

// imageTypes are the types that a data URL is made for.
var imageTypes = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/bmp": true,
}

// parseFields reads an object in its own order and puts texts in for references.
func parseFields(object json.RawMessage, f *abi.Frame, blob func(int) ([]byte, bool)) ([]abi.Field, error) {
	if len(object) == 0 || string(object) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("fields is not an object")
	}
	var fields []abi.Field
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("fields: %w", err)
		}
		name := t.(string) // keys of an object are strings
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("fields: %w", err)
		}
		if name == "content" || name == "is_error" || seen[name] {
			return nil, fmt.Errorf("fields: %q is taken", name)
		}
		seen[name] = true
		field, err := resolveField(name, value, f, blob)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		fields = append(fields, field)
	}
	return fields, nil
}

func resolveField(name string, value json.RawMessage, f *abi.Frame, blob func(int) ([]byte, bool)) (abi.Field, error) {
	field := abi.Field{Name: name, Value: abi.JSON(value)}
	if value[0] != '{' {
		return field, nil
	}
	var ref map[string]json.RawMessage
	if err := json.Unmarshal(value, &ref); err != nil || len(ref) != 1 {
		return field, nil
	}
	for key, find := range map[string]func(int) ([]byte, bool){abi.FieldAttachment: f.Attachment, abi.FieldBlob: blob} {
		v, ok := ref[key]
		if !ok {
			continue
		}
		var i int
		if err := json.Unmarshal(v, &i); err != nil {
			return field, fmt.Errorf("%s is not a number", key)
		}
		text, ok := find(i)
		if !ok {
			return field, fmt.Errorf("%s: there is no %d", key, i)
		}
		return abi.Field{Name: name, Text: validUTF8(text)}, nil
	}
	return field, nil
}

// validUTF8 returns b with U+FFFD for what is not UTF-8; b itself, which may be
// large, where there is nothing to replace.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}
