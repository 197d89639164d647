package host

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/ohhost/ohhost/tool"
)

// shorten gives a result its texts, or what a model should get of them: where they
// are over Limits.Output together, the beginning and a notice that names the file
// with the whole (threat R9). Images stay. A dry run saves nothing, as it writes
// nothing.
func (b *bound) shorten(ctx context.Context, a *answer, c *tool.Call) {
	if a.result == nil {
		return
	}
	total := 0
	for _, text := range a.texts {
		total += len(text)
	}
	limit := b.host.opts.Limits.Output
	if total <= limit {
		for i, text := range a.texts {
			a.result.Content[i].Text = string(text)
		}
		return
	}
	left, parts := limit, a.result.Content[:0]
	for i, text := range a.texts {
		part := a.result.Content[i]
		switch {
		case part.Image != nil:
		case left < 0:
			continue // behind the notice
		case len(text) <= left:
			part.Text = string(text)
			left -= len(text)
		default:
			head := beginning(text, left)
			end := ""
			if len(head) > 0 && head[len(head)-1] != '\n' {
				end = "\n"
			}
			part.Text = string(head) + end + b.notice(ctx, a.texts, limit-left+len(head), total, c)
			left = -1
		}
		parts = append(parts, part)
	}
	a.result.Content = parts
}

// notice saves the texts, and says that only shown bytes of total are shown and
// where the rest is.
func (b *bound) notice(ctx context.Context, texts [][]byte, shown, total int, c *tool.Call) string {
	cut := fmt.Sprintf("[The result is cut here: these are %d of %d bytes. ", shown, total)
	switch {
	case c.DryRun:
		return cut + "The rest is not saved: this is a dry run.]"
	case b.sess == nil:
		return cut + "The rest is not saved: this host has no directory for it.]"
	}
	// The caller may be gone, but who gets the notice should find the file.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	path, err := b.sess.SaveOutput(ctx, b.spec.Name, texts...)
	if err != nil {
		b.host.log.Warn("a long result could not be saved", "tool", b.spec.Name, "error", err)
		return cut + "The rest is not saved: " + err.Error() + ".]"
	}
	return cut + "The whole text is in " + path + ".]"
}

// beginning returns at most n bytes of a text, which is longer, without cutting a
// character, and up to the end of a line where that keeps half of it.
func beginning(text []byte, n int) []byte {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if end := bytes.LastIndexByte(text[:n], '\n') + 1; end > n/2 {
		n = end
	}
	return text[:n]
}

// shortMessage cuts the text of an error that a guest made.
func shortMessage(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	n := maxMessage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s\n[The message is cut here: these are %d of %d bytes.]", s[:n], n, len(s))
}
