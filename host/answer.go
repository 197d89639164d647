package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/ijson"
)

// answer is what a guest answered; exactly one field is set, and texts beside
// result.
type answer struct {
	result *abi.Result
	denied *deniedAnswer
	raised *raisedAnswer
	keys   *[]string

	// texts are those of the result's content, in its order, nil for an image.
	// They are parts of the answer's frame, which may be large: the result gets
	// them when it is known how much of them it may have, see shorten.
	texts [][]byte
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
	if len(f.Header) > maxAnswerJSON {
		return nil, fmt.Errorf("its JSON has %d bytes, at most %d are read; put long texts into attachments", len(f.Header), maxAnswerJSON)
	}
	header, err := ijson.Mend(f.Header)
	if err != nil {
		return nil, fmt.Errorf("broken JSON: %w", err)
	}
	var raw struct {
		Result *resultAnswer `json:"result"`
		Denied *deniedAnswer `json:"denied"`
		Raised *raisedAnswer `json:"raised"`
		Keys   *[]string     `json:"keys"`
	}
	if err := ijson.Decode(header, &raw); err != nil {
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
	switch {
	case a.denied != nil:
		a.denied.Path, a.denied.Why = shortMessage(a.denied.Path), shortMessage(a.denied.Why)
	case a.raised != nil:
		a.raised.Message = shortMessage(a.raised.Message)
	case a.keys != nil:
		err = checkKeys(*a.keys)
	default:
		err = a.setResult(raw.Result, f, blob)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// setResult reads a result, but for the texts of its content.
func (a *answer) setResult(raw *resultAnswer, f *abi.Frame, blob func(int) ([]byte, bool)) error {
	r := &abi.Result{IsError: raw.IsError}
	if len(raw.Content) > maxParts {
		return fmt.Errorf("content has %d parts, at most %d are read", len(raw.Content), maxParts)
	}
	images := 0
	for i := range raw.Content {
		part, text, err := raw.Content[i].part(f)
		if err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
		if images += len(part.Image); images > maxImages {
			return fmt.Errorf("content[%d]: the images have over %d bytes together", i, maxImages)
		}
		r.Content, a.texts = append(r.Content, part), append(a.texts, text)
	}
	var err error
	if r.Fields, err = parseFields(raw.Fields, f, blob); err != nil {
		return err
	}
	a.result = r
	return nil
}

// part returns the part as it is but for a text, and that text.
func (p *partAnswer) part(f *abi.Frame) (part abi.Part, text []byte, err error) {
	var data []byte
	if p.Attachment != nil {
		var ok bool
		if data, ok = f.Attachment(*p.Attachment); !ok {
			return part, nil, fmt.Errorf("no attachment %d", *p.Attachment)
		}
	}
	switch {
	case p.Type == "text" && p.Text != nil && p.Attachment == nil:
		return part, []byte(*p.Text), nil
	case p.Type == "text" && p.Text == nil && p.Attachment != nil:
		return part, validUTF8(data), nil
	case p.Type == "image" && p.Attachment != nil:
		if !imageTypes[p.MIME] {
			return part, nil, fmt.Errorf("image type %.40q", p.MIME)
		}
		if len(data) > maxImage {
			return part, nil, fmt.Errorf("the image has %d bytes, at most %d are taken", len(data), maxImage)
		}
		return abi.Part{Image: append([]byte{}, data...), MIME: p.MIME}, nil, nil
	}
	return part, nil, fmt.Errorf("want a text with text or attachment, or an image with attachment, got type %.40q", p.Type)
}

// imageTypes are the types that a data URL is made for.
var imageTypes = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/bmp": true,
}

// parseFields reads an object in its own order and puts texts in for references.
func parseFields(object json.RawMessage, f *abi.Frame, blob func(int) ([]byte, bool)) ([]abi.Field, error) {
	if len(object) == 0 || object[0] == 'n' {
		return nil, nil
	}
	if object[0] != '{' {
		return nil, errors.New("fields is not an object")
	}
	var fields []abi.Field
	size := 0
	for name, value := range ijson.Members(object) {
		if name == "content" || name == "is_error" {
			return nil, fmt.Errorf("fields: %q is taken", name)
		}
		field, err := resolveField(strings.Clone(name), value, f, blob)
		if err != nil {
			return nil, fmt.Errorf("field %.40q: %w", name, err)
		}
		if size += len(name) + len(field.Value) + len(field.Text); size > maxFields {
			return nil, fmt.Errorf("field %.40q: the fields have over %d bytes together", name, maxFields)
		}
		fields = append(fields, field)
	}
	return fields, nil
}

func resolveField(name string, value []byte, f *abi.Frame, blob func(int) ([]byte, bool)) (abi.Field, error) {
	field := abi.Field{Name: name, Value: value}
	key, number, ok := onlyMember(value)
	find := blob
	switch {
	case ok && key == abi.FieldAttachment:
		find = f.Attachment
	case !ok || key != abi.FieldBlob:
		return field, nil
	}
	var i int
	if err := json.Unmarshal(number, &i); err != nil {
		return field, fmt.Errorf("%s is not a number", key)
	}
	text, ok := find(i)
	if !ok {
		return field, fmt.Errorf("%s: there is no %d", key, i)
	}
	return abi.Field{Name: name, Text: validUTF8(text)}, nil
}

// onlyMember returns the member of an object that has one; false for all else.
func onlyMember(value []byte) (name string, member []byte, ok bool) {
	n := 0
	for name, member = range ijson.Members(value) {
		if n++; n > 1 {
			return "", nil, false
		}
	}
	return name, member, n == 1
}

// checkKeys bounds the keys of a call.
func checkKeys(keys []string) error {
	if len(keys) > maxKeys {
		return fmt.Errorf("%d keys, at most %d are read", len(keys), maxKeys)
	}
	for i, key := range keys {
		if len(key) > maxKey {
			return fmt.Errorf("keys[%d] has %d bytes, at most %d are read", i, len(key), maxKey)
		}
	}
	return nil
}

// validUTF8 returns b with U+FFFD for what is not UTF-8; b itself, which may be
// large, where there is nothing to replace.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}
