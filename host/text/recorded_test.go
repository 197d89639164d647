package text_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

// A recorded step is one call of a case of testdata/conformance/file_editor.json
// whose name it bears: what the file shows as, and what an edit makes of it.
type recorded struct {
	ID       string `json:"id"`
	Raw      []byte `json:"raw"`
	Encoding string `json:"encoding"`
	Text     string `json:"text"`

	After         []byte `json:"after"` // nil: the step only views
	At            int    `json:"at"`
	Del           int    `json:"del"`
	Insert        string `json:"insert"`
	NewText       string `json:"new_text"`
	ConvertedFrom string `json:"converted_from"`
}

func TestRecorded(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "recorded.json"))
	require.NoError(t, err)
	var steps []recorded
	require.NoError(t, json.Unmarshal(data, &steps))
	require.Len(t, steps, 71)
	for _, s := range steps {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			d, err := text.Decode(s.Raw)
			require.NoError(t, err)
			require.Equal(t, s.Encoding, d.Encoding)
			require.True(t, d.Certain)
			require.Equal(t, s.Text, string(d.Text))
			if s.After == nil {
				return
			}
			e, err := d.Edit([]text.Splice{{At: s.At, Del: s.Del, Insert: []byte(s.Insert)}})
			require.NoError(t, err)
			require.Equal(t, string(s.After), string(e.Raw))
			require.Equal(t, s.NewText, string(e.Text))
			require.Equal(t, s.ConvertedFrom, e.ConvertedFrom)
		})
	}
}
