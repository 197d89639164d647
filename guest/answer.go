package guest

import (
	"errors"

	"github.com/ohhost/ohhost/abi"
)

// inlineText is the longest text in bytes that travels in the header. Longer
// ones are attachments, which need no escaping and no second copy.
const inlineText = 256

// An answer is the frame of an answer while it is put together.
type answer struct {
	writer
	attachments [][]byte
}

// newAnswer makes the frame for what a tool returned.
func newAnswer(res *abi.Result, err error) (*abi.Frame, error) {
	if err != nil {
		e, ok := errors.AsType[*ToolError](err)
		if !ok {
			return failure(err), nil
		}
		res = &abi.Result{Content: []abi.Part{{Text: e.Text}}, IsError: true}
	}
	if res == nil {
		return nil, errors.New("the tool returned neither a result nor an error")
	}
	var a answer
	a.raw(`{"result":{"content":[`)
	for i := range res.Content {
		a.part(&res.Content[i])
	}
	a.raw(`],"fields":{`)
	for i := range res.Fields {
		if name := res.Fields[i].Name; name == "content" || name == "is_error" {
			return nil, errors.New("a field may not be called " + name)
		}
		a.field(&res.Fields[i])
	}
	a.raw("}")
	a.boolMember("is_error", res.IsError)
	a.raw("}}")
	return &abi.Frame{Header: a.b, Attachments: a.attachments}, nil
}

// attachment writes a member that names b as an attachment.
func (a *answer) attachment(key string, b []byte) {
	a.attachments = append(a.attachments, b)
	a.intMember(key, len(a.attachments)-1)
}

func (a *answer) part(p *abi.Part) {
	a.sep()
	a.raw("{")
	if p.Image != nil {
		a.stringMember("type", "image")
		a.stringMember("mime", p.MIME)
		a.attachment("attachment", p.Image)
	} else {
		a.stringMember("type", "text")
		if len(p.Text) > inlineText {
			a.attachment("attachment", Bytes(p.Text))
		} else {
			a.stringMember("text", p.Text)
		}
	}
	a.raw("}")
}

func (a *answer) field(f *abi.Field) {
	a.key(f.Name)
	switch {
	case len(f.Value) > 0:
		a.raw(Text(f.Value))
	case len(f.Text) > inlineText:
		a.raw("{")
		a.attachment(abi.FieldAttachment, f.Text)
		a.raw("}")
	default:
		a.string(Text(f.Text))
	}
}

// failure makes the frame for an error that is no result.
func failure(err error) *abi.Frame {
	var w writer
	if e, ok := errors.AsType[*DeniedError](err); ok {
		w.raw(`{"denied":{`)
		w.stringMember("path", e.Path)
		w.stringMember("why", e.Why)
		if e.Write {
			w.boolMember("write", true)
		}
	} else {
		w.raw(`{"raised":{`)
		w.stringMember("message", err.Error())
	}
	w.raw("}}")
	return &abi.Frame{Header: w.b}
}

// keysAnswer makes the frame for the keys of a call.
func keysAnswer(keys []string) *abi.Frame {
	var w writer
	w.raw(`{"keys":`)
	w.strings(keys)
	w.raw("}")
	return &abi.Frame{Header: w.b}
}
