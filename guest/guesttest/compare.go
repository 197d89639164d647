package guesttest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// want is what a call must answer, see testdata/conformance/README.md.
type want struct {
	IsError     bool             `json:"is_error"`
	Text        string           `json:"text"`
	Parts       []map[string]any `json:"parts"`
	Fields      map[string]any   `json:"fields"`
	TextPrefix  string           `json:"text_prefix"`
	TextHas     any              `json:"text_contains"`
	Match       *wording         `json:"match"`
	InvalidArgs []struct {
		Loc []any `json:"loc"`
	} `json:"invalid_args"`
	Raised string `json:"raised"`
	Denied bool   `json:"denied"`
	Prefix string `json:"prefix"` // of "or"
}

// wording is what is fixed of a text whose wording is open.
type wording struct {
	Prefix   string `json:"prefix"`
	Suffix   string `json:"suffix"`
	Contains any    `json:"contains"` // a text or several
	Chars    *int   `json:"chars"`    // code points, counted with the real path
}

// An Answer is what a call answered: an observation as its JSON decodes, or an
// error's kind and message.
type Answer struct {
	Observation map[string]any
	Kind        string
	Message     string
}

// check compares an answer with what a call wants and returns the differences.
// The answer has the placeholder in it; raw is the answer's text as it was.
func check(c *Call, got Answer, raw string) ([]string, error) {
	var w want
	if err := json.Unmarshal(c.Want, &w); err != nil {
		return nil, err
	}
	if len(c.Or) > 0 && got.Observation != nil {
		var or want
		if err := json.Unmarshal(c.Or, &or); err != nil {
			return nil, err
		}
		if got.isError() == or.IsError && strings.HasPrefix(got.text(), or.Prefix) {
			return nil, nil
		}
	}
	switch {
	case c.Loose != "" && got.Observation != nil:
		start := map[string]string{"prefix": w.Text, "reason": "Invalid regex pattern: ", "is_error": ""}[c.Loose]
		if !strings.HasPrefix(got.text(), start) || got.isError() != w.IsError {
			return []string{fmt.Sprintf("want it to begin with %q, is_error %v; got %q, %v", start, w.IsError, got.text(), got.isError())}, nil
		}
		return nil, nil
	case w.InvalidArgs != nil:
		return checkInvalid(&w, got), nil
	case w.Raised != "":
		_, text, ok := strings.Cut(w.Raised, ": ")
		if !ok {
			text = w.Raised
		}
		if !strings.Contains(got.Message, text) && !strings.Contains(got.text(), text) {
			return []string{fmt.Sprintf("want the raised message %q, got %+v", text, got)}, nil
		}
		return nil, nil
	case w.Denied:
		return checkDenied(c, got), nil
	case got.Observation == nil:
		return []string{fmt.Sprintf("want an observation, got %s: %s", got.Kind, got.Message)}, nil
	}
	return checkObservation(&w, got, raw), nil
}

// checkDenied wants a denial that names the path, the grants, and the flag that
// would allow it (spec/tools.md, "Results").
func checkDenied(c *Call, got Answer) []string {
	if got.Kind != "denied" {
		return []string{fmt.Sprintf("want a denial, got %+v", got)}
	}
	var args struct{ Path string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return []string{err.Error()}
	}
	var diffs []string
	for _, part := range []string{args.Path + ": denied: ", "; granted: rw " + Placeholder, "; allow it with --"} {
		if !strings.Contains(got.Message, part) {
			diffs = append(diffs, fmt.Sprintf("the denial does not say %q: %q", part, got.Message))
		}
	}
	return diffs
}

func checkInvalid(w *want, got Answer) []string {
	if got.Kind != "invalid_args" {
		return []string{fmt.Sprintf("want an argument error, got %+v", got)}
	}
	var diffs []string
	for _, e := range w.InvalidArgs {
		if len(e.Loc) > 0 {
			if name := fmt.Sprint(e.Loc[0]); !strings.Contains(got.Message, name) {
				diffs = append(diffs, fmt.Sprintf("the argument error does not name %q: %q", name, got.Message))
			}
		}
	}
	return diffs
}

func checkObservation(w *want, got Answer, raw string) []string {
	var diffs []string
	if open := w.wording(); open != nil {
		diffs = open.check(got.text(), raw)
	} else {
		need := w.Parts
		if need == nil {
			need = []map[string]any{{"type": "text", "text": w.Text}}
		}
		for i := range need {
			delete(need[i], "cache_prompt")
		}
		have, _ := got.Observation["content"].([]any)
		ok := len(have) == len(need)
		for i := 0; ok && i < len(need); i++ {
			ok = match(have[i], need[i]) && match(need[i], have[i])
		}
		if !ok {
			diffs = append(diffs, fmt.Sprintf("content\n  want %s\n  got  %s", toJSON(need), toJSON(have)))
		}
	}
	if got.isError() != w.IsError {
		diffs = append(diffs, fmt.Sprintf("is_error: want %v, got %v", w.IsError, got.isError()))
	}
	for _, k := range sortedKeys(w.Fields) {
		if !match(got.Observation[k], w.Fields[k]) {
			diffs = append(diffs, fmt.Sprintf("field %s\n  want %s\n  got  %s", k, toJSON(w.Fields[k]), toJSON(got.Observation[k])))
		}
	}
	return diffs
}

func (w *want) wording() *wording {
	if w.Match != nil {
		return w.Match
	}
	if w.TextPrefix != "" || w.TextHas != nil {
		return &wording{Prefix: w.TextPrefix, Contains: w.TextHas}
	}
	return nil
}

func (w *wording) check(text, raw string) []string {
	var diffs []string
	if !strings.HasPrefix(text, w.Prefix) || !strings.HasSuffix(text, w.Suffix) {
		diffs = append(diffs, fmt.Sprintf("text: want it to begin with %q and end with %q, got %q", w.Prefix, w.Suffix, text))
	}
	var parts []any
	switch c := w.Contains.(type) {
	case string:
		parts = []any{c}
	case []any:
		parts = c
	}
	for _, p := range parts {
		if !strings.Contains(text, p.(string)) {
			diffs = append(diffs, fmt.Sprintf("text: %q is missing in %q", p, text))
		}
	}
	if w.Chars != nil && *w.Chars != utf8.RuneCountInString(raw) {
		diffs = append(diffs, fmt.Sprintf("text: want %d characters, got %d", *w.Chars, utf8.RuneCountInString(raw)))
	}
	return diffs
}

// text is the text of an answer's parts together.
func (a Answer) text() string {
	var b strings.Builder
	parts, _ := a.Observation["content"].([]any)
	for _, p := range parts {
		if m, ok := p.(map[string]any); ok {
			s, _ := m["text"].(string)
			b.WriteString(s)
		}
	}
	return b.String()
}

func (a Answer) isError() bool {
	v, _ := a.Observation["is_error"].(bool)
	return v
}

// match compares decoded JSON: equal, except that null is the same as absent in
// an object, "<any>" in want stands for anything (inside a text for any run of
// characters), and a long text may be wanted by its {"sha256", "chars"}.
func match(got, want any) bool {
	switch w := want.(type) {
	case nil:
		return got == nil
	case string:
		if w == "<any>" {
			return true
		}
		s, ok := got.(string)
		return ok && (s == w || strings.Contains(w, "<any>") && matchRuns(s, strings.Split(w, "<any>")))
	case map[string]any:
		if s, ok := got.(string); ok {
			return matchDigest(s, w)
		}
		g, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range w {
			if !match(g[k], v) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !match(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

func matchRuns(s string, parts []string) bool {
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[last])
}

func matchDigest(s string, w map[string]any) bool {
	digest, ok := w["sha256"].(string)
	if !ok {
		return false
	}
	if n, ok := w["chars"].(float64); ok && utf8.RuneCountInString(s) != int(n) {
		return false
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:]) == digest
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b[:min(len(b), 4000)])
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
