package guest

import (
	"errors"
	"strconv"

	"github.com/ohhost/ohhost/abi"
)

// inlineText is the longest text in bytes that travels in the header. Longer
// ones are attachments, which need no escaping and no second copy.
const inlineText = 256

// answer makes the frame for what a tool returned.
func answer(res *abi.Result, err error) (*abi.Frame, error) {
	if err != nil {
		if e, ok := errors.AsType[*ToolError](err); ok {
			return answerResult(&abi.Result{Content: []abi.Part{{Text: e.Text}}, IsError: true})
		}
		return failure(err), nil
	}
	if res == nil {
		return nil, errors.New("the tool returned neither a result nor an error")
	}
	return answerResult(res)
}

func answerResult(res *abi.Result) (*abi.Frame, error) {
	f := &abi.Frame{}
	attach := func(b []byte) string {
		f.Attachments = append(f.Attachments, b)
		return strconv.Itoa(len(f.Attachments) - 1)
	}
	h := []byte(`{"result":{"content":[`)
	for i, p := range res.Content {
		if i > 0 {
			h = append(h, ',')
		}
		switch {
		case p.Image != nil:
			h = AppendString(append(h, `{"type":"image","mime":`...), p.MIME)
			h = append(append(h, `,"attachment":`...), attach(p.Image)...)
		case len(p.Text) > inlineText:
			h = append(append(h, `{"type":"text","attachment":`...), attach(Bytes(p.Text))...)
		default:
			h = AppendString(append(h, `{"type":"text","text":`...), p.Text)
		}
		h = append(h, '}')
	}
	h = append(h, `],"fields":{`...)
	for i, field := range res.Fields {
		if field.Name == "content" || field.Name == "is_error" {
			return nil, errors.New("a field may not be called " + field.Name)
		}
		if i > 0 {
			h = append(h, ',')
		}
		h = append(AppendString(h, field.Name), ':')
		switch {
		case len(field.Value) > 0:
			h = append(h, field.Value...)
		case len(field.Text) > inlineText:
			h = append(AppendString(append(h, '{'), abi.FieldAttachment), ':')
			h = append(append(h, attach(field.Text)...), '}')
		default:
			h = AppendString(h, Text(field.Text))
		}
	}
	h = AppendBool(append(h, `},"is_error":`...), res.IsError)
	f.Header = append(h, "}}"...)
	return f, nil
}

// failure makes the frame for an error that is no result.
func failure(err error) *abi.Frame {
	var h []byte
	if e, ok := errors.AsType[*DeniedError](err); ok {
		h = AppendString([]byte(`{"denied":{"path":`), e.Path)
		h = AppendString(append(h, `,"why":`...), e.Why)
	} else {
		h = AppendString([]byte(`{"raised":{"message":`), err.Error())
	}
	return &abi.Frame{Header: append(h, "}}"...)}
}

func answerKeys(keys []string) *abi.Frame {
	h := []byte(`{"keys":[`)
	for i, k := range keys {
		if i > 0 {
			h = append(h, ',')
		}
		h = AppendString(h, k)
	}
	return &abi.Frame{Header: append(h, "]}"...)}
}
