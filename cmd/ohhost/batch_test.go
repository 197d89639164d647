package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// sortedLines makes answers comparable that come in any order.
func sortedLines(s string) []string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

func TestBatch(t *testing.T) {
	t.Parallel()
	const bad = `{"id":null,"error":{"kind":"bad_request","message":"line 1: `
	tests := []struct{ name, in, want string }{
		{"a call", `{"id":1,"tool":"echo","args":{"a": 1}}`, `{"id":1,"observation":{"content":[{"type":"text","text":"{\"a\":1}"}],"is_error":false,"id":"1"}}`},
		{"any id, verbatim", `{"id": {"a":[1.50,"\u00e9<"]} ,"tool":"fail"}`, `{"id":{"a":[1.50,"\u00e9<"]},"observation":{"content":[{"type":"text","text":"no such line\n"}],"is_error":true}}`},
		{"no id, null args", `{"tool":"echo","args":null}`, `{"id":null,"observation":{"content":[{"type":"text","text":"{}"}],"is_error":false,"id":""}}`},
		{"unknown names are ignored, the last one counts", `{"x":1,"ID":5,"id":6,"id":7,"tool":"deny","tool":"fail"}`, `{"id":7,"observation":{"content":[{"type":"text","text":"no such line\n"}],"is_error":true}}`},
		{"arguments", `{"id":1,"tool":"strict","args":{"n":"x"}}`, `{"id":1,"error":{"kind":"invalid_args","message":"invalid arguments for strict: n: an integer >= 0, got \"x\""}}`},
		{"arguments are no object", `{"id":1,"tool":"strict","args":[1]}`, `{"id":1,"error":{"kind":"invalid_args","message":"invalid arguments for strict: arguments: a JSON object, got [1]"}}`},
		{"unknown tool", `{"id":1,"tool":"Echo"}`, `{"id":1,"error":{"kind":"unknown_tool","message":"unknown tool \"Echo\"; the tools are deny, echo, edit, fail, odd, raise, strict, trap, wait"}}`},
		{"denied", `{"id":1,"tool":"deny"}`, `{"id":1,"error":{"kind":"denied","message":"/etc/x\u001b[2J: denied: it is outside the grants; granted: rw /w; allow it with --grant ro:/etc/x"}}`},
		{"fault", `{"id":1,"tool":"trap"}`, `{"id":1,"error":{"kind":"fault","message":"trap: call: unreachable"}}`},
		{"raised", `{"id":1,"tool":"raise"}`, `{"id":1,"error":{"kind":"error","message":"Error executing tool 'raise': boom"}}`},
		{"cannot be shown", `{"id":1,"tool":"odd"}`, `{"id":1,"error":{"kind":"fault","message":"field \"content\": the name is taken"}}`},
		{"broken JSON", `{"id":1,"tool":}`, bad + `not a call: column 16: unexpected character '}', want a JSON value"}}`},
		{"no object", `[1]`, bad + `not a call: column 1: want a JSON object"}}`},
		{"null", `null`, bad + `not a call: column 1: want a JSON object"}}`},
		{"two lines in one", "{\"tool\":\r}", bad + `not a call: column 10: unexpected character '}', want a JSON value"}}`},
		{"byte order mark", "\ufeff" + `{"id":1,"tool":"fail"}`, `{"id":1,"observation":{"content":[{"type":"text","text":"no such line\n"}],"is_error":true}}`},
		{"two values", `{"tool":"echo"} {}`, bad + `not a call: column 17: unexpected character '{' after the JSON value"}}`},
		{"no tool", `{"id":1}`, bad + `the call names no \"tool\""}}`},
		{"tool is no string", `{"id":1,"tool":null}`, bad + `\"tool\" is not a string"}}`},
		{"not UTF-8", "{\"id\":\"\xff\",\"tool\":\"echo\"}", bad + `not UTF-8"}}`},
		{"too deep", `{"tool":"echo","args":` + strings.Repeat("[", 20_000) + `}`, bad + `not a call: column 534: more than 512 arrays and objects inside each other"}}`},
	}
	const blank = "\r\n\n  \n"
	var all, wants []string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCLI(tt.in) // without a final newline
			require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "--batch"}))
			require.Equal(t, tt.want+"\n", c.out.String())
			require.Empty(t, c.err.String())
		})
		if !strings.HasPrefix(tt.in, byteOrderMark) {
			number := fmt.Sprintf(`"line %d: `, strings.Count(blank, "\n")+2*len(all)+1)
			all, wants = append(all, tt.in), append(wants, strings.Replace(tt.want, `"line 1: `, number, 1))
		}
	}
	t.Run("all, with blank lines and CRLF", func(t *testing.T) {
		t.Parallel()
		c := newCLI(byteOrderMark + blank + strings.Join(all, "\r\n\n") + "\r\n")
		require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "--batch"}))
		slices.Sort(wants)
		require.Equal(t, wants, sortedLines(c.out.String()))
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		c := newCLI("")
		require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "--batch"}))
		require.Empty(t, c.out.String())
		require.Equal(t, 1, c.fake.closed)
	})
	t.Run("dry run", func(t *testing.T) {
		t.Parallel()
		c := newCLI(`{"id":1,"tool":"edit"}`)
		require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "--batch", "--dry-run"}))
		require.Equal(t, `{"id":1,"observation":{"content":[{"type":"text","text":"edited\u001b[31m"}],"is_error":false},"diff":"--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\u001b\n"}`+"\n", c.out.String())
	})
}

// TestBatchAnswersAsCallsEnd: an answer comes before the input ends, and a slow
// call holds up nobody who does not share its key.
func TestBatchAnswersAsCallsEnd(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c.app.in, c.app.out = in, out
	release := make(chan struct{})
	c.fake.keys = func(args string) ([]string, error) { return []string{args}, nil }
	c.fake.calls["wait"] = func(context.Context, *tool.Call) (*abi.Result, error) {
		<-release
		return text("slow"), nil
	}
	code := make(chan int)
	go func() { code <- c.app.run(context.Background(), []string{"call", "--batch"}) }()
	answers := bufio.NewScanner(stdout)
	next := func() string {
		require.True(t, answers.Scan())
		var got struct {
			ID          string
			Observation struct{ Content []struct{ Text string } }
		}
		require.NoError(t, json.Unmarshal(answers.Bytes(), &got))
		return got.ID + " " + got.Observation.Content[0].Text
	}
	send := func(s string) {
		_, err := io.WriteString(stdin, s+"\n")
		require.NoError(t, err)
	}
	send(`{"id":"a","tool":"wait","args":{"k":1}}`)
	send(`{"id":"b","tool":"echo","args":{"k":1}}`)
	send(`{"id":"c","tool":"echo","args":{"k":2}}`)
	require.Equal(t, `c {"k":2}`, next())
	close(release)
	require.Equal(t, "a slow", next())
	require.Equal(t, `b {"k":1}`, next())
	require.NoError(t, stdin.Close())
	require.Equal(t, exitOK, <-code)
}

// TestBatchSequentialCallerAsksForNoKeys: who waits for each answer does not pay
// for keys.
func TestBatchSequentialCallerAsksForNoKeys(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c.app.in, c.app.out = in, out
	c.fake.keys = func(string) ([]string, error) { panic("nobody asked") }
	code := make(chan int)
	go func() { code <- c.app.run(context.Background(), []string{"call", "--batch"}) }()
	answers := bufio.NewScanner(stdout)
	for i := range 20 {
		_, err := fmt.Fprintf(stdin, `{"id":%d,"tool":"echo"}`+"\n", i)
		require.NoError(t, err)
		require.True(t, answers.Scan())
		time.Sleep(time.Millisecond) // the answer is written a moment before the call counts as ended
	}
	require.NoError(t, stdin.Close())
	require.Equal(t, exitOK, <-code)
}

// TestBatchOrder: of calls with one key none overlap and all keep their order;
// others run beside them; never more than the limit at once.
func TestBatchOrder(t *testing.T) {
	t.Parallel()
	const calls = 600
	var in strings.Builder
	for i := range calls {
		fmt.Fprintf(&in, `{"id":%d,"tool":"work","args":{"key":"%d","n":%d}}`+"\n", i, i%7, i)
	}
	c := newCLI(in.String())
	type args struct {
		Key string
		N   int
	}
	parse := func(s string) (a args) {
		require.NoError(t, json.Unmarshal([]byte(s), &a))
		return a
	}
	c.fake.keys = func(s string) ([]string, error) {
		switch a := parse(s); a.Key {
		case "0":
			return nil, nil // free
		case "1":
			return []string{"2", "3"}, nil
		case "6":
			return nil, errors.New("keys are not known")
		default:
			return []string{a.Key}, nil
		}
	}
	var (
		mu      sync.Mutex
		running = map[string]int{}
		order   = map[string][]int{}
		now     int
		most    int
	)
	c.fake.calls["work"] = func(_ context.Context, call *tool.Call) (*abi.Result, error) {
		a := parse(string(call.Args))
		mu.Lock()
		now++
		most = max(most, now)
		running[a.Key]++
		order[a.Key] = append(order[a.Key], a.N)
		if a.Key != "0" {
			require.Equal(t, 1, running[a.Key])
		}
		require.LessOrEqual(t, running["1"]+running["2"], 1)
		require.LessOrEqual(t, running["1"]+running["3"], 1)
		require.True(t, running["6"] == 0 || now == 1, "a call of unknown keys is alone")
		mu.Unlock()
		time.Sleep(100 * time.Microsecond)
		mu.Lock()
		now--
		running[a.Key]--
		mu.Unlock()
		return text("ok"), nil
	}
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "--batch"}))
	require.Len(t, sortedLines(c.out.String()), calls)
	for key, ns := range order {
		if key != "0" {
			require.True(t, slices.IsSorted(ns), "key %s: %v", key, ns)
		}
	}
	require.LessOrEqual(t, most, 2*runtime.GOMAXPROCS(0))
	require.Greater(t, most, 1)
}

// TestBatchReadsNoFurtherThanItCanRun: back-pressure.
func TestBatchReadsNoFurtherThanItCanRun(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	in, stdin := io.Pipe()
	c.app.in = in
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int)
	go func() { code <- c.app.run(ctx, []string{"call", "--batch"}) }()
	var sent int
	var mu sync.Mutex
	go func() {
		line := []byte(`{"tool":"wait"}` + "\n" + strings.Repeat(" ", 64<<10) + "\n")
		for {
			if _, err := stdin.Write(line); err != nil {
				return
			}
			mu.Lock()
			sent++
			mu.Unlock()
		}
	}()
	count := func() int { mu.Lock(); defer mu.Unlock(); return sent }
	require.Eventually(t, func() bool { return count() >= maxJobs-2 }, 10*time.Second, time.Millisecond)
	time.Sleep(50 * time.Millisecond)
	require.LessOrEqual(t, count(), maxJobs+3)
	cancel()
	require.Equal(t, exitFault, <-code)
	require.NoError(t, in.Close())
}

func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	r := bufio.NewReaderSize(strings.NewReader("a\n\n"+long+"\n"+long+"x\nb\r\n"+long+"xx"), 16)
	const tooLong = "over the limit of 5001 bytes"
	for _, want := range []struct{ text, err string }{{"a\n", ""}, {"\n", ""}, {long + "\n", ""}, {"", tooLong}, {"b\r\n", ""}, {"", tooLong}, {"", "EOF"}, {"", "EOF"}} {
		text, err := readLine(r, 5001)
		require.Equal(t, want.text, string(text))
		if want.err == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want.err)
		var bad badRequestError
		require.Equal(t, want.err == tooLong, errors.As(err, &bad))
	}
	text, err := readLine(bufio.NewReader(strings.NewReader("end")), 5001)
	require.NoError(t, err)
	require.Equal(t, "end", string(text))
}

func TestBatchInputFails(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	c.app.in = io.MultiReader(strings.NewReader(`{"id":2,"tool":"fail"}`+"\n"), failingReader{})
	require.Equal(t, exitFault, c.app.run(context.Background(), []string{"call", "--batch"}))
	require.Equal(t, 1, bytes.Count(c.out.Bytes(), []byte("\n")), "what was read is answered")
	require.Equal(t, "error: read standard input: broken\n", c.err.String())
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// FuzzRequest: whatever a line holds, the answer is one line of JSON.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{`{"id":1,"tool":"echo","args":{}}`, `{"id":"\ud800","tool":"x"}`, "{\"id\":{\"a\":\r1},\"tool\":\"x\"}", `[]`, `{"tool":5}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.ContainsRune(in, '\n') {
			return
		}
		req, err := parseRequest(in)
		var out bytes.Buffer
		require.NoError(t, (&answer{id: req.id, result: text("x"), err: err}).write(&out))
		require.True(t, json.Valid(out.Bytes()), "%s", out.Bytes())
		require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
	})
}
