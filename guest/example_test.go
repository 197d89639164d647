package guest_test

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// oneFile is a Host with a single file.
type oneFile struct{ text string }

func (f oneFile) Invoke([]byte) ([]byte, int64) {
	answer := abi.Frame{Header: []byte(`{"size":1,"digest":""}`), Attachments: [][]byte{[]byte(f.text), nil}}
	b, err := answer.Append(nil)
	if err != nil {
		panic(err)
	}
	return b, int64(len(b))
}

func (oneFile) Log(int, string) {}
func (oneFile) Progress(string) {}

// The plugin of the package documentation, called natively.
func Example() {
	module, err := guest.NewModule(guest.Tool{
		Spec: abi.Spec{Name: "word_count"},
		Call: func(c *guest.Call) (*abi.Result, error) {
			path, _ := c.Args.Str("path")
			t, err := c.Files().ReadText(path, 10<<20)
			if err != nil {
				return nil, err
			}
			n := len(bytes.Fields(t.Text))
			return &abi.Result{
				Content: []abi.Part{{Text: path + " has " + strconv.Itoa(n) + " words"}},
				Fields:  []abi.Field{guest.IntField("words", int64(n))},
			}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := abi.Frame{Header: []byte(`{"op":"call","tool":"word_count","args":{"path":"/w/a"}}`), Attachments: [][]byte{[]byte("/w")}}
	input, err := call.Append(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := module.Serve(input, oneFile{"to be or not"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", answer.Header)
	// Output:
	// {"result":{"content":[{"type":"text","text":"/w/a has 4 words"}],"fields":{"words":4},"is_error":false}}
}
