package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// printTool shows one tool to a person.
func (a *app) printTool(s *abi.Spec, workspace string) error {
	args, err := tool.Arguments(s)
	if err != nil {
		return fmt.Errorf("%s: input schema: %w", s.Name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", s.Name, needs(&s.Needs))
	if text := strings.TrimSpace(describe(s, workspace)); text != "" {
		fmt.Fprintf(&b, "\n%s\n", clean(text))
	}
	if len(args) == 0 {
		b.WriteString("\nIt takes no arguments by name.\n")
	} else {
		b.WriteString("\nArguments:\n")
	}
	for _, arg := range args {
		b.WriteString("  " + cleanLine(arg.Name))
		if arg.Type != "" {
			b.WriteString(": " + cleanLine(arg.Type))
		}
		if arg.Required {
			b.WriteString(" (required)")
		}
		b.WriteByte('\n')
		if text := firstSentence(arg.Description); text != "" {
			b.WriteString("      " + cleanLine(text) + "\n")
		}
	}
	_, err = a.out.Write([]byte(b.String()))
	return err
}

// firstSentence returns the first sentence of a text on one line: up to a full
// stop before a word with a capital letter or a quoted one, or an empty line.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if stop, rest := text[i], text[i+1:]; (stop == '.' || stop == '!' || stop == '?') && strings.HasPrefix(rest, " ") {
			if next, _ := utf8.DecodeRuneInString(rest[1:]); unicode.IsUpper(next) || next == '`' {
				return text[:i+1]
			}
		}
	}
	return text
}
