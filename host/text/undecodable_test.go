package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The wanted reasons are str(UnicodeDecodeError) of CPython 3.11.
func TestUTF8Reason(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, want string }{
		{"plain", ""},
		{"\xc3\xa9", ""},
		{"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"},
		{"a\x80", "'utf-8' codec can't decode byte 0x80 in position 1: invalid start byte"},
		{"caf\xe9\n", "'utf-8' codec can't decode byte 0xe9 in position 3: invalid continuation byte"},
		{"\xc3", "'utf-8' codec can't decode byte 0xc3 in position 0: unexpected end of data"},
		{"ab\xc3", "'utf-8' codec can't decode byte 0xc3 in position 2: unexpected end of data"},
		{"\xc3(", "'utf-8' codec can't decode byte 0xc3 in position 0: invalid continuation byte"},
		{"\xe4\xb8", "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data"},
		{"\xe4", "'utf-8' codec can't decode byte 0xe4 in position 0: unexpected end of data"},
		{"\xe4\xb8(", "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte"},
		{"\xe4(\xb8", "'utf-8' codec can't decode byte 0xe4 in position 0: invalid continuation byte"},
		{"\xe0\x80\x80", "'utf-8' codec can't decode byte 0xe0 in position 0: invalid continuation byte"},
		{"\xe0\xa0", "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data"},
		{"\xed\xa0\x80", "'utf-8' codec can't decode byte 0xed in position 0: invalid continuation byte"},
		{"\xf0\x90", "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data"},
		{"\xf0\x90\x80", "'utf-8' codec can't decode bytes in position 0-2: unexpected end of data"},
		{"\xf0\x90\x80(", "'utf-8' codec can't decode bytes in position 0-2: invalid continuation byte"},
		{"\xf0\x90(", "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte"},
		{"\xf0(", "'utf-8' codec can't decode byte 0xf0 in position 0: invalid continuation byte"},
		{"\xf0\x8f\x80\x80", "'utf-8' codec can't decode byte 0xf0 in position 0: invalid continuation byte"},
		{"\xf4\x90\x80\x80", "'utf-8' codec can't decode byte 0xf4 in position 0: invalid continuation byte"},
		{"\xf5\x80\x80\x80", "'utf-8' codec can't decode byte 0xf5 in position 0: invalid start byte"},
		{"\xc0\x80", "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte"},
		{"\xc1\xbf", "'utf-8' codec can't decode byte 0xc1 in position 0: invalid start byte"},
		{"ok \xc3\xa9 \xf0\x9f\x98", "'utf-8' codec can't decode bytes in position 6-8: unexpected end of data"},
		{"\xef\xbb\xbf\xfe", "'utf-8' codec can't decode byte 0xfe in position 3: invalid start byte"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, utf8Reason([]byte(tt.raw)), "%q", tt.raw)
	}
}
