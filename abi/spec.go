package abi

// JSON is a JSON value as it was written. It marshals as itself, like
// json.RawMessage, but needs no encoding/json in a guest.
type JSON []byte

// MarshalJSON returns j, or null when it is empty.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps a copy of b.
func (j *JSON) UnmarshalJSON(b []byte) error {
	*j = append((*j)[:0], b...)
	return nil
}

// A Spec describes a tool: what a client is shown (MCP's words) and what the
// plugin would like to be granted.
type Spec struct {
	// Name is how the tool is called, [A-Za-z0-9_-]{1,64}.
	Name string `json:"name"`
	// Title is for people; our own tools use the name.
	Title string `json:"title,omitempty"`
	// Description is the text a model reads. CWDPlaceholder in it is replaced
	// when the tool is bound.
	Description string `json:"description"`
	// InputSchema is a JSON Schema (2020-12) of the arguments, an object.
	InputSchema JSON `json:"inputSchema"`
	// Closed, when not empty, is the schema that arguments are checked with in
	// place of InputSchema: the published one is what models were trained on,
	// this one may be stricter (spec/tools.md, "Results").
	Closed JSON `json:"closedSchema,omitempty"`
	// OutputSchema describes the observation; may be empty.
	OutputSchema JSON `json:"outputSchema,omitempty"`
	// Annotations are MCP's hints.
	Annotations Annotations `json:"annotations"`
	// Needs inform the user; only a grant gives.
	Needs Needs `json:"needs"`
}

// Annotations are the hints of MCP's ToolAnnotations. They are claims of the
// plugin, never a reason to trust it.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

// Needs says what a tool would like to be granted.
type Needs struct {
	Files    FileNeed `json:"files,omitempty"` // empty is FilesNone
	State    bool     `json:"state,omitempty"`
	Services []string `json:"services,omitempty"` // further services, by name
}

// A FileNeed is how a tool uses files.
type FileNeed string

// The values of a FileNeed.
const (
	FilesNone  FileNeed = "none"
	FilesRead  FileNeed = "read"
	FilesWrite FileNeed = "write"
)

// A Description is the header of what oh_describe outputs.
type Description struct {
	ABI   string `json:"abi"`
	Tools []Spec `json:"tools"`
}
