// Package schema holds the types that the published schemas of file_editor are
// made from (go generate ./plugins/fileeditor). It is no part of the plugin's
// module, which embeds the generated text instead.
package schema

// An Input is the arguments of a call.
type Input struct {
	Command    string "json:\"command\" jsonschema:\"enum=view,enum=create,enum=str_replace,enum=insert,enum=undo_edit\" jsonschema_description:\"The commands to run. Allowed options are: `view`, `create`, `str_replace`, `insert`, `undo_edit`.\""
	Path       string `json:"path" jsonschema_description:"Absolute path to file or directory."`
	FileText   string "json:\"file_text,omitempty\" jsonschema_description:\"Required parameter of `create` command, with the content of the file to be created.\""
	OldStr     string "json:\"old_str,omitempty\" jsonschema_description:\"Required parameter of `str_replace` command containing the string in `path` to replace.\""
	NewStr     string "json:\"new_str,omitempty\" jsonschema_description:\"Optional parameter of `str_replace` command containing the new string (if not given, no string will be added). Required parameter of `insert` command containing the string to insert.\""
	InsertLine int    "json:\"insert_line,omitempty\" jsonschema_description:\"Required parameter of `insert` command. The `new_str` will be inserted AFTER the line `insert_line` of `path`.\""
	ViewRange  []int  "json:\"view_range,omitempty\" jsonschema_description:\"Optional parameter of `view` command when `path` points to a file. If none is given, the full file is shown. If provided, the file will be shown in the indicated line number range, e.g. [11, 12] will show lines 11 and 12. Indexing at 1 to start. Setting `[start_line, -1]` shows all lines from `start_line` to the end of the file.\""
}

// InputDescription is the text of the input schema as a whole.
const InputDescription = "Schema for file editor operations."

// An Output is an observation as MCP clients see it.
type Output struct {
	Content    []Content `json:"content,omitempty" jsonschema_description:"Content returned from the tool as a list of TextContent/ImageContent objects. When there is an error, it should be written in this field."`
	IsError    bool      `json:"is_error,omitempty" jsonschema_description:"Whether the observation indicates an error"`
	Command    string    "json:\"command\" jsonschema:\"enum=view,enum=create,enum=str_replace,enum=insert,enum=undo_edit\" jsonschema_description:\"The command that was run: `view`, `create`, `str_replace`, `insert`, or `undo_edit`.\""
	Path       string    `json:"path,omitempty" jsonschema_description:"The file path that was edited."`
	PrevExist  bool      `json:"prev_exist,omitempty" jsonschema_description:"Indicates if the file previously existed. If not, it was created."`
	OldContent string    `json:"old_content,omitempty" jsonschema_description:"The content of the file before the edit."`
	NewContent string    `json:"new_content,omitempty" jsonschema_description:"The content of the file after the edit."`
}

// OutputDescription is the text of the output schema as a whole.
const OutputDescription = "A ToolResult that can be rendered as a CLI output."

// A Content is one part of an observation.
type Content struct {
	CachePrompt bool   `json:"cache_prompt,omitempty"`
	Type        string `json:"type,omitempty"`
	Text        string `json:"text"`
}
