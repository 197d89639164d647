package host

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/ijson"
	"github.com/ohhost/ohhost/tool"
)

const describeTimeout = 10 * time.Second

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// describe compiles the module if need be and asks it for its tools. The
// instance has no files and no services.
func (m *module) describe(ctx context.Context) ([]*abi.Spec, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	in := &guestCall{log: m.host.log.Named(m.name), limit: maxAnswerJSON}
	f, detail, err := m.run(ctx, in, nil, abi.ExportDescribe, nil)
	if err != nil {
		return nil, &tool.FaultError{Tool: m.name, Op: "describe", Err: err, Detail: detail}
	}
	specs, err := parseDescription(f.Header)
	if err != nil {
		return nil, &tool.FaultError{Tool: m.name, Op: "describe", Err: err, Detail: detail}
	}
	return specs, nil
}

// parseDescription reads the header of a description and checks what it says.
func parseDescription(header []byte) ([]*abi.Spec, error) {
	if len(header) > maxAnswerJSON {
		return nil, fmt.Errorf("the description has %d bytes, at most %d are read", len(header), maxAnswerJSON)
	}
	var d abi.Description
	if err := ijson.Unmarshal(header, &d); err != nil {
		return nil, fmt.Errorf("the description is broken JSON: %w", err)
	}
	if d.ABI != abi.Version {
		return nil, fmt.Errorf("abi %q: not supported (this host has %s)", d.ABI, abi.Version)
	}
	if len(d.Tools) == 0 || len(d.Tools) > maxTools {
		return nil, fmt.Errorf("the module describes %d tools, want 1 to %d", len(d.Tools), maxTools)
	}
	specs := make([]*abi.Spec, len(d.Tools))
	seen := map[string]bool{}
	for i := range d.Tools {
		s := &d.Tools[i]
		if err := checkSpec(s); err != nil {
			return nil, err
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("tool %q is described twice", s.Name)
		}
		seen[s.Name] = true
		specs[i] = s
	}
	return specs, nil
}

func checkSpec(s *abi.Spec) error {
	if !toolName.MatchString(s.Name) {
		return fmt.Errorf("tool name %.100q: want 1 to 64 of the characters A-Z a-z 0-9 _ -", s.Name)
	}
	for _, text := range []struct {
		name, text string
		max        int
	}{
		{"title", s.Title, maxTitle},
		{"title", s.Annotations.Title, maxTitle},
		{"description", s.Description, maxDescription},
	} {
		if len(text.text) > text.max {
			return fmt.Errorf("tool %q: the %s has %d bytes, at most %d are read", s.Name, text.name, len(text.text), text.max)
		}
		if i := strings.IndexFunc(text.text, isControl); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text.text[i:])
			return fmt.Errorf("tool %q: the %s has the control character %U at byte %d", s.Name, text.name, r, i)
		}
	}
	for _, schema := range []struct {
		name     string
		json     abi.JSON
		optional bool
	}{
		{"inputSchema", s.InputSchema, false},
		{"closedSchema", s.Closed, true},
		{"outputSchema", s.OutputSchema, true},
	} {
		if len(schema.json) == 0 && schema.optional {
			continue
		}
		if len(schema.json) == 0 || schema.json[0] != '{' {
			return fmt.Errorf("tool %q: %s is not a JSON object", s.Name, schema.name)
		}
		if len(schema.json) > maxSchema {
			return fmt.Errorf("tool %q: %s has %d bytes, at most %d are read", s.Name, schema.name, len(schema.json), maxSchema)
		}
	}
	switch s.Needs.Files {
	case "", abi.FilesNone, abi.FilesRead, abi.FilesWrite:
	default:
		return fmt.Errorf("tool %q: needs.files is %.40q, want none, read or write", s.Name, s.Needs.Files)
	}
	for _, service := range s.Needs.Services {
		if !toolName.MatchString(service) {
			return fmt.Errorf("tool %q: needs.services has %.100q, want 1 to 64 of the characters A-Z a-z 0-9 _ -", s.Name, service)
		}
	}
	return nil
}

// isControl reports whether a text that people and models read has no use for r:
// C0 controls but for tab and newline, DEL, and C1 controls.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
