//go:build linux || darwin

package jail

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold maps names that some file system takes for the same to one string. ext4
// directories with the casefold feature compare canonically decomposed text in
// full case folding without default ignorable code points (Linux fs/unicode);
// HFS+ ignores such code points, too (CVE-2014-9390), and APFS, NTFS and FAT
// do less than this. So ".GIT", ".gi\u200ct", and ".pro\ufb01le" (with a
// ligature) become ".git" and ".profile".
func fold(s string) string {
	ascii := true
	upper := false
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
		upper = upper || s[i] >= 'A' && s[i] <= 'Z'
	}
	switch {
	case ascii && !upper:
		return s
	case ascii:
		return strings.ToLower(s)
	}
	s = norm.NFD.String(cases.Fold().String(norm.NFD.String(s)))
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, s)
}

// sameFolded reports whether fold(name) is folded.
func sameFolded(name, folded string) bool {
	if name == folded {
		return true
	}
	for i := 0; i < len(name); i++ {
		if name[i] >= utf8.RuneSelf {
			return fold(name) == folded
		}
	}
	return len(name) == len(folded) && strings.EqualFold(name, folded)
}

// plainName is the folded name without what Windows' file systems drop from it:
// ".git. " and ".git::$INDEX_ALLOCATION" open ".git" there, and "GIT~1" is its
// short name, also where Linux mounts FAT.
func plainName(name string) string {
	s := fold(name)
	if i := strings.IndexByte(s, ':'); i > 0 {
		s = s[:i]
	}
	s = strings.TrimRight(s, ". ")
	if stem, n, ok := strings.Cut(s, "~"); ok && stem == "git" && n != "" && strings.Trim(n, "0123456789") == "" {
		return ".git"
	}
	return s
}
