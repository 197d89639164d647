package wasmgen

import "slices"

// brokenModules are plugins that are encoded wrongly, or in a way that the
// specification forbids.
func brokenModules() []Bomb {
	body := func(name string, code ...byte) Bomb { return bomb("S8", name, Plugin{Call: code}) }
	return append([]Bomb{
		rebuilt("two sections in the wrong order", func(s []Section) []Section {
			s[0], s[1] = s[1], s[0]
			return s
		}),
		rebuilt("a section twice", func(s []Section) []Section { return slices.Insert(s, 1, s[0]) }),
		rebuilt("a section without an ID that is known", func(s []Section) []Section { return append(s, Section{ID: 99}) }),
		rebuilt("a section longer than the module", func(s []Section) []Section {
			s[len(s)-1].Size = U32(1<<32 - 1)
			return s
		}),
		rebuilt("a section longer than its content", func(s []Section) []Section {
			s[0].Content = append(s[0].Content, 0)
			return s
		}),
		rebuilt("a section shorter than its content", func(s []Section) []Section {
			s[0].Size = U32(uint32(len(s[0].Content) - 1))
			return s
		}),
		rebuilt("a size of six bytes", func(s []Section) []Section {
			s[0].Size = LongU32(uint32(len(s[0].Content)), 6)
			return s
		}),
		rebuilt("a size with bits above 32", func(s []Section) []Section {
			s[0].Size = LongU32(uint32(len(s[0].Content)), 5)
			s[0].Size[4] |= 0x70
			return s
		}),
		rebuilt("no bodies", func(s []Section) []Section {
			return slices.DeleteFunc(s, func(s Section) bool { return s.ID == SectionCode })
		}),
		rebuilt("a module of another version", nil, func(wasm []byte) []byte { wasm[4] = 2; return wasm }),
		rebuilt("a component", nil, func(wasm []byte) []byte { wasm[4], wasm[6] = 0x0d, 1; return wasm }),
		rebuilt("a module cut short", nil, func(wasm []byte) []byte { return wasm[:len(wasm)-1] }),
		rebuilt("bytes behind the module", nil, func(wasm []byte) []byte { return append(wasm, 1) }),
		more("S8", "more data segments announced than there are", func(b *Builder) { b.DataCount(2) }),
		more("S8", "a name that is not UTF-8", func(b *Builder) { b.Export("\xff", KindFunc, FuncOutput) }),
		more("S8", "a structure type", func(b *Builder) { b.Repeat(SectionType, 1, []byte{0x5f, 0}) }),
		more("S8", "a value type that does not exist", func(b *Builder) { b.Type([]byte{0x42}, nil) }),
		bomb("S8", "a shared memory", Plugin{Memory: slices.Concat([]byte{3}, U32(1), U32(2))}),
		bomb("S8", "a memory of 64 bits", Plugin{Memory: slices.Concat([]byte{4}, U32(1))}),
		bomb("S8", "a maximum below the minimum", Plugin{Memory: LimitsTo(2, 1)}),
		more("S8", "a body longer than it says", func(b *Builder) {
			b.Repeat(SectionFunction, 1, U32(TypeVoid))
			b.Repeat(SectionCode, 1, []byte{2, 0, Nop, End})
		}),
		more("S8", "a body without an end", func(b *Builder) {
			b.Repeat(SectionFunction, 1, U32(TypeVoid))
			b.Repeat(SectionCode, 1, []byte{2, 0, Nop})
		}),
		more("S8", "code behind the end of a body", func(b *Builder) { b.Func(TypeVoid, nil, []byte{End, Nop}) }),
		body("an instruction that does not exist", 0x27),
		body("a number behind a prefix that does not exist", 0xfc, 0x7f),
		body("a label that does not exist", Br, 9),
		body("a local that does not exist", LocalGet, 9, Drop),
		body("a function that does not exist", Call, 99),
		body("too few values on the stack", I32Add, Drop),
		body("a value of another type", 0x43, 0, 0, 0, 0, LocalSet, 0),
		body("an else without an if", Else),
		body("a throw", 0x08, 0),
		body("an atomic fence", 0xfe, 0x03, 0),
	}, announced()...)
}

// announced are plugins in which a section says that it has 4294967295 items.
func announced() []Bomb {
	var all []Bomb
	for id, name := range map[byte]string{
		SectionType: "types", SectionImport: "imports", SectionFunction: "functions", SectionTable: "tables", SectionMemory: "memories",
		SectionGlobal: "globals", SectionExport: "exports", SectionElem: "element segments", SectionCode: "bodies", SectionData: "data segments",
	} {
		all = append(all, Bomb{Threat: "S8", Name: "4294967295 " + name + " announced", Wasm: func() []byte {
			b := (&Plugin{}).Builder()
			b.vecs[id].n = 1<<32 - 1
			return b.Bytes()
		}})
	}
	slices.SortFunc(all, func(a, b Bomb) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
	return all
}

// rebuilt is a plugin whose sections are changed, or its bytes.
func rebuilt(name string, sections func(s []Section) []Section, bytes ...func(wasm []byte) []byte) Bomb {
	return Bomb{Threat: "S8", Name: name, Wasm: func() []byte {
		s := (&Plugin{}).Builder().Sections()
		if sections != nil {
			s = sections(s)
		}
		wasm := Encode(s...)
		for _, change := range bytes {
			wasm = change(wasm)
		}
		return wasm
	}}
}
