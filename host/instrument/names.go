package instrument

// maxNames is how many bytes of function names are kept for stack traces.
const maxNames = 8 << 20

// parseCustom reads a custom section (5.5.3). Only the names of functions are kept
// (7.4.1), for the stacks that faults show; a name section that is broken is
// dropped, since it means nothing to the module.
func (m *Module) parseCustom(r *reader) {
	if name := r.name(); name != "name" || r.err != nil || m.names != nil || len(r.b) > maxNames {
		return
	}
	for sub := (&reader{b: r.b, at: r.at}); sub.more(); {
		id := sub.byte()
		section := &reader{b: sub.take(sub.u32())}
		if sub.err != nil || id != 1 {
			continue
		}
		var names []functionName
		last := int64(-1)
		for n := section.count("names", m.limits.Functions+m.limits.Imports); n > 0 && section.err == nil; n-- {
			f := functionName{index: section.u32(), name: section.name()}
			if int64(f.index) <= last {
				return
			}
			last = int64(f.index)
			names = append(names, f)
		}
		if section.err == nil && section.at == len(section.b) {
			m.names = names
		}
		return
	}
}
