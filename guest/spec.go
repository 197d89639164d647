package guest

import "github.com/ohhost/ohhost/abi"

// appendSpec appends the JSON of s, as abi.Spec's tags have it.
func appendSpec(dst []byte, s *abi.Spec) []byte {
	dst = AppendString(append(dst, `{"name":`...), s.Name)
	if s.Title != "" {
		dst = AppendString(append(dst, `,"title":`...), s.Title)
	}
	dst = AppendString(append(dst, `,"description":`...), s.Description)
	dst = appendSchema(dst, "inputSchema", s.InputSchema)
	if len(s.InputSchema) == 0 {
		dst = append(dst, `,"inputSchema":{"type":"object"}`...)
	}
	dst = appendSchema(dst, "closedSchema", s.Closed)
	dst = appendSchema(dst, "outputSchema", s.OutputSchema)
	dst = append(dst, `,"annotations":{`...)
	if s.Annotations.Title != "" {
		dst = append(AppendString(append(dst, `"title":`...), s.Annotations.Title), ',')
	}
	dst = AppendBool(append(dst, `"readOnlyHint":`...), s.Annotations.ReadOnly)
	dst = AppendBool(append(dst, `,"destructiveHint":`...), s.Annotations.Destructive)
	dst = AppendBool(append(dst, `,"idempotentHint":`...), s.Annotations.Idempotent)
	dst = AppendBool(append(dst, `,"openWorldHint":`...), s.Annotations.OpenWorld)
	dst = append(dst, `},"needs":{`...)
	comma := false
	if s.Needs.Files != "" {
		dst, comma = AppendString(append(dst, `"files":`...), string(s.Needs.Files)), true
	}
	if s.Needs.State {
		if comma {
			dst = append(dst, ',')
		}
		dst, comma = append(dst, `"state":true`...), true
	}
	if len(s.Needs.Services) > 0 {
		if comma {
			dst = append(dst, ',')
		}
		dst = append(dst, `"services":[`...)
		for i, name := range s.Needs.Services {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, name)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}

func appendSchema(dst []byte, key string, schema abi.JSON) []byte {
	if len(schema) == 0 {
		return dst
	}
	dst = append(AppendString(append(dst, ','), key), ':')
	return append(dst, schema...)
}
