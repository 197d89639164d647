package host

import "runtime"

// Limits bound what one call of a plugin may use. A field that is zero means its
// default; there is no "unlimited".
type Limits struct {
	// MemoryPages is how large a guest's linear memory may grow, in pages of
	// 64 KiB. Default 4096 (256 MiB).
	MemoryPages uint32
	// TableElements is how many elements all tables of an instance may hold
	// together. Default 262 144.
	TableElements uint32
	// Fuel ends a call with a fault when its guest has used up that much, see
	// host/instrument for the unit. Zero means that only the deadline counts.
	Fuel uint64
	// HostCalls is how many calls of host functions and operations on files a
	// guest may make. Default 16 777 216.
	HostCalls int
	// OpenFiles is how many files and directories a guest may hold open through
	// WASI. Default 256.
	OpenFiles int
	// ListEntries is how many entries one listing of a directory may have.
	// Default 2 097 152.
	ListEntries int
	// WrittenFiles and WrittenBytes bound what the change sets of one call write.
	// Defaults 10 000 files and 1 GiB.
	WrittenFiles int
	WrittenBytes int64
	// Output is how many bytes of text for the model a result may have; the rest
	// goes to a file in the session's outputs directory that the result names.
	// Default 1 MiB.
	Output int
	// LogLines and LogBytes bound what a guest logs in one call. Defaults 1 000
	// lines and 1 MiB.
	LogLines int
	LogBytes int
	// Instances is how many guests run at a time; further calls wait. Default
	// four for each processor, at least 8.
	Instances int
	// Queue is how many calls may wait for an instance; one more is refused at
	// once. Default 4096.
	Queue int
}

// defaults fills in what is zero.
func (l Limits) defaults() Limits {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	if l.MemoryPages == 0 {
		l.MemoryPages = 4096
	}
	if l.TableElements == 0 {
		l.TableElements = 1 << 18
	}
	if l.WrittenBytes <= 0 {
		l.WrittenBytes = 1 << 30
	}
	set(&l.HostCalls, 1<<24)
	set(&l.OpenFiles, 256)
	set(&l.ListEntries, 1<<21)
	set(&l.WrittenFiles, 10_000)
	set(&l.Output, 1<<20)
	set(&l.LogLines, 1000)
	set(&l.LogBytes, 1<<20)
	set(&l.Instances, max(8, 4*runtime.GOMAXPROCS(0)))
	set(&l.Queue, 4096)
	return l
}
