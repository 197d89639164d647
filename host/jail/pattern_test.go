//go:build linux || darwin

package jail

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cases of gitignore(5), path by path; a path that ends in "/" is a directory.
var patternCases = []struct {
	name     string
	patterns []string
	in       []string // excluded
	out      []string // not excluded
}{
	{"name", []string{"foo"}, []string{"foo", "foo/", "a/foo", "a/b/foo/", "foo/x", "a/foo/x"}, []string{"foox", "xfoo", "a/foox"}},
	{"leading slash", []string{"/foo"}, []string{"foo", "foo/x"}, []string{"a/foo"}},
	{"middle slash", []string{"a/foo"}, []string{"a/foo", "a/foo/x"}, []string{"foo", "b/a/foo"}},
	{"trailing slash", []string{"foo/"}, []string{"foo/", "a/foo/", "foo/x", "a/foo/b/c"}, []string{"foo", "a/foo"}},
	{"both", []string{"/foo/"}, []string{"foo/", "foo/x"}, []string{"foo", "a/foo/"}},
	{"star", []string{"*.o"}, []string{"x.o", ".o", "a/x.o", "x.o/y"}, []string{"x.oo", "o"}},
	{"star is no slash", []string{"a/*"}, []string{"a/b", "a/b/c"}, []string{"a/", "b/a/c", "x"}},
	{"star in the middle", []string{"a/*/c"}, []string{"a/b/c", "a/b/c/d"}, []string{"a/c", "a/b/b/c"}},
	{"two stars in a name", []string{"a**b"}, []string{"ab", "axxb", "d/axb"}, []string{"a/b", "axc"}},
	{"question mark", []string{"?.txt"}, []string{"a.txt", "\u00e9.txt", "\xff.txt"}, []string{".txt", "ab.txt"}},
	{"question mark is no slash", []string{"a?b"}, []string{"axb"}, []string{"a/b"}},
	{"class", []string{"[a-cx].[!0-9]"}, []string{"a.x", "x.y", "b.z"}, []string{"d.x", "a.1", "a.", "ab.x"}},
	{"class with caret", []string{"[^a]b"}, []string{"bb"}, []string{"ab", "b"}},
	{"class with bracket", []string{"[]x]"}, []string{"]", "x"}, []string{"[", "y"}},
	{"class with dash", []string{"[a-]"}, []string{"a", "-"}, []string{"b"}},
	{"class with escape", []string{`[\]\-]`}, []string{"]", "-"}, []string{`\`, "a"}},
	{"named class", []string{"[[:digit:][:space:]]z"}, []string{"1z", " z"}, []string{"az", ":z"}},
	{"class of letters", []string{"[\u00e0-\u00ef]"}, []string{"\u00e9"}, []string{"e", "\u00f0"}},
	{"leading any", []string{"**/foo"}, []string{"foo", "a/foo", "a/b/foo", "foo/x"}, []string{"xfoo"}},
	{"leading any with path", []string{"**/a/b"}, []string{"a/b", "x/a/b", "x/y/a/b/z"}, []string{"a/x/b", "b"}},
	{"trailing any", []string{"a/**"}, []string{"a/b", "a/b/c"}, []string{"a", "a/", "b/a/c"}},
	{"middle any", []string{"a/**/b"}, []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"x/a/b", "ab", "a/bx"}},
	{"any alone", []string{"**"}, []string{"a", "a/b"}, nil},
	{"any directory", []string{"**/"}, []string{"a/", "a/b"}, []string{"a"}},
	{"any twice", []string{"a/**/b/**/c"}, []string{"a/b/c", "a/x/b/y/z/c"}, []string{"a/c", "a/c/b"}},
	{"last one counts", []string{"*.o", "!x.o"}, []string{"y.o", "a/y.o"}, []string{"x.o", "a/x.o"}},
	{"excluded again", []string{"*.o", "!x.o", "/a/x.o"}, []string{"y.o", "a/x.o"}, []string{"x.o", "b/x.o"}},
	{"not out of a directory", []string{"a/", "!a/x"}, []string{"a/x"}, []string{"x"}},
	{"all but one", []string{"/*", "!/a", "/a/*", "!/a/b"}, []string{"x", "a/c"}, []string{"a/", "a/b", "a/b/c"}},
	{"escaped bang", []string{`\!x`}, []string{"!x"}, []string{"x"}},
	{"escaped hash", []string{`\#x`}, []string{"#x"}, []string{"x"}},
	{"escaped star", []string{`\*x\?\[`}, []string{"*x?["}, []string{"ax?["}},
	{"trailing blanks", []string{"x  "}, []string{"x"}, []string{"x  "}},
	{"escaped blank", []string{`x\ `}, []string{"x "}, []string{"x"}},
	{"inner blank", []string{"a b"}, []string{"a b"}, []string{"a", "b"}},
	{"backslash pair", []string{`a\\b`}, []string{`a\b`}, []string{"ab"}},
	{"newline", []string{"a*b"}, []string{"a\nb"}, nil},
	{"many stars", []string{"*a*a*a*a*a*b"}, nil, []string{strings.Repeat("a", 200)}},
}

func (ps patterns) excludes(p string) bool {
	return ps.find(components(strings.TrimSuffix(p, "/")), strings.HasSuffix(p, "/")) != nil
}

func TestPatterns(t *testing.T) {
	for _, c := range patternCases {
		t.Run(c.name, func(t *testing.T) {
			ps, err := compilePatterns(c.patterns)
			require.NoError(t, err)
			for _, p := range c.in {
				require.True(t, ps.excludes(p), "%q", p)
			}
			for _, p := range c.out {
				require.False(t, ps.excludes(p), "%q", p)
			}
		})
	}
}

// TestPatternsAsGit asks git about the same cases.
func TestPatternsAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, c := range patternCases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			run := func(args ...string) string {
				cmd := exec.Command(git, append([]string{"-C", dir, "-c", "core.excludesFile=/dev/null", "-c", "core.ignoreCase=false"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C.UTF-8")
				out, _ := cmd.Output() // status 1 means "not ignored"
				return string(out)
			}
			run("init", "-q")
			require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(strings.Join(c.patterns, "\n")+"\n"), 0o644))
			ps, err := compilePatterns(c.patterns)
			require.NoError(t, err)
			for _, p := range append(append([]string{}, c.in...), c.out...) {
				if strings.Contains(c.name, "letters") || strings.ContainsAny(p, "\u00e9\xff") {
					continue // git matches bytes, and a "?" is one
				}
				full := filepath.Join(dir, p)
				if strings.HasSuffix(p, "/") {
					require.NoError(t, os.MkdirAll(full, 0o755))
				} else {
					require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
					require.NoError(t, os.WriteFile(full, nil, 0o644))
				}
				require.Equal(t, ps.excludes(p), run("check-ignore", "--no-index", "--", strings.TrimSuffix(p, "/")) != "", "%q", p)
				require.NoError(t, os.RemoveAll(filepath.Join(dir, strings.Split(p, "/")[0])))
			}
		})
	}
}

func TestPatternCase(t *testing.T) {
	ps, err := compilePatterns([]string{"Secret*", "!Secret-Public", "*.PEM", "stra\u00dfe", "\u00c9t\u00e9"})
	require.NoError(t, err)
	for _, p := range []string{"secret", "SECRETS", "Secret-public", "x.pem", "x.Pem", "STRASSE", "e\u0301t\u00e9", "\u017fecret"} {
		require.True(t, ps.excludes(p), p)
	}
	require.False(t, ps.excludes("Secret-Public"))
}

func TestPatternErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":          "it is blank",
		"  ":        "it is blank",
		"# comment": `it is a comment; write \# for a name that begins with #`,
		"/":         "it names nothing",
		"!":         "it names nothing",
		"a//b":      "it has an empty component",
		"a/../b":    "it has the component .., which no resolved path has",
		"./a":       "it has the component ., which no resolved path has",
		"[a":        "its [ has no ]",
		"[[:foo:]]": "it names no such class as [:foo:]",
		`a\`:        "it ends in a backslash",
		"a\x00":     "it holds a NUL",
	} {
		_, err := compilePattern(text)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestQuotePattern(t *testing.T) {
	for _, names := range [][]string{{"a"}, {"a b ", "c*?[]\\"}, {"!x", "#y"}, {" "}, {"\xff\u00e9"}, {"-", "[a-z]", "**"}} {
		ps, err := compilePatterns([]string{quotePattern(names)})
		require.NoError(t, err)
		require.NotNil(t, ps.find(names, false), names)
		require.Nil(t, ps.find(append([]string{"x"}, names...), false))
		require.Nil(t, ps.find([]string{names[0] + "x"}, false))
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("a/**/[!b-d]*.?", "a/x/yz.o")
	f.Add(`\!x\ `, "!x ")
	f.Add("[[:alpha:]-]]", "-]")
	f.Fuzz(func(t *testing.T, text, p string) {
		pat, err := compilePattern(text)
		if err != nil {
			return
		}
		names := components(filepath.Clean("/" + strings.ReplaceAll(p, "\x00", "")))
		exact := patterns{pat}.find(names, true)
		// A pattern for what was matched matches it, too.
		if exact != nil {
			quoted, err := compilePattern(quotePattern(names))
			require.NoError(t, err)
			require.NotNil(t, patterns{quoted}.find(names, true))
		}
	})
}
