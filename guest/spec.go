package guest

import "github.com/ohhost/ohhost/abi"

// spec writes the JSON of s, as abi.Spec's tags have it. A missing input schema
// is that of an object.
func (w *writer) spec(s *abi.Spec) {
	w.raw("{")
	w.stringMember("name", s.Name)
	w.optional("title", s.Title)
	w.stringMember("description", s.Description)
	if len(s.InputSchema) == 0 {
		w.schema("inputSchema", abi.JSON(`{"type":"object"}`))
	}
	w.schema("inputSchema", s.InputSchema)
	w.schema("closedSchema", s.Closed)
	w.schema("outputSchema", s.OutputSchema)

	w.key("annotations")
	w.raw("{")
	w.optional("title", s.Annotations.Title)
	w.boolMember("readOnlyHint", s.Annotations.ReadOnly)
	w.boolMember("destructiveHint", s.Annotations.Destructive)
	w.boolMember("idempotentHint", s.Annotations.Idempotent)
	w.boolMember("openWorldHint", s.Annotations.OpenWorld)
	w.raw("}")

	w.key("needs")
	w.raw("{")
	w.optional("files", string(s.Needs.Files))
	if s.Needs.State {
		w.boolMember("state", true)
	}
	if len(s.Needs.Services) > 0 {
		w.key("services")
		w.strings(s.Needs.Services)
	}
	w.raw("}}")
}

// optional writes a member that is left out when it is empty.
func (w *writer) optional(key, v string) {
	if v != "" {
		w.stringMember(key, v)
	}
}

func (w *writer) schema(key string, v abi.JSON) {
	if len(v) > 0 {
		w.key(key)
		w.raw(Text(v))
	}
}
