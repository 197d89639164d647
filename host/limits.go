package host

import (
	"math"
	"runtime"

	"github.com/ohhost/ohhost/host/instrument"
)

// Limits bound what one call of a plugin may use. A field that is zero means its
// default; there is no "unlimited".
type Limits struct {
	// MemoryPages is how large a guest's linear memory may grow, in pages of
	// 64 KiB. Default 4096 (256 MiB), at most 65 535.
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
	// WASI, the root among them. Default 256.
	OpenFiles int
	// ListEntries is how many entries one listing of a directory may have, and
	// how many entries of the directories that a guest has open through WASI may
	// be in memory. Default 1 048 576.
	ListEntries int
	// WrittenFiles and WrittenBytes bound what the change sets of one call write:
	// the files that are made, changed, moved or removed, and the bytes of what is
	// in them afterwards and of state. Defaults 10 000 files and 1 GiB.
	WrittenFiles int
	WrittenBytes int64
	// Output is how many bytes of text for the model a result may have. Of a
	// longer one the beginning is kept and a notice follows it, which names the
	// file in the session's outputs directory where the whole text is. Default
	// 1 MiB.
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

// Caps that are the same for everybody, because nobody should have to choose them.
const (
	maxAnswerJSON  = 16 << 20 // bytes of the header of an answer, and of a description
	maxRequestJSON = 1 << 20  // bytes of the header of a service request

	maxParts   = 64        // parts of a result's content
	maxImage   = 20 << 20  // bytes of an image
	maxImages  = 64 << 20  // bytes of all images of a result
	maxFields  = 64 << 20  // bytes of all fields of a result: an edit has a file of 10 MiB twice
	maxMessage = 64 << 10  // bytes of why a tool failed, or a path is denied
	maxKeys    = 10_000    // resource keys of a call
	maxKey     = 8 << 10   // bytes of one, and of a key of the undo history
	maxState   = 4096      // values of state in a change set: as many as a session keeps
	maxKept    = 256 << 20 // bytes of the texts of changed files that a call keeps

	maxTools       = 64       // tools of a module
	maxTitle       = 256      // bytes
	maxDescription = 64 << 10 // bytes
	maxSchema      = 1 << 20  // bytes

	maxPath = 4096     // PATH_MAX of Linux: a path must be shorter
	maxRead = 64 << 20 // bytes of one read, whatever limit it names
)

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
	l.MemoryPages = min(l.MemoryPages, 65535) // of 65536 pages wazero says that they have no bytes
	l.TableElements = min(l.TableElements, math.MaxInt32)
	if l.WrittenBytes <= 0 {
		l.WrittenBytes = 1 << 30
	}
	set(&l.HostCalls, 1<<24)
	set(&l.OpenFiles, 256)
	set(&l.ListEntries, 1<<20)
	set(&l.WrittenFiles, 10_000)
	set(&l.Output, 1<<20)
	set(&l.LogLines, 1000)
	set(&l.LogBytes, 1<<20)
	set(&l.Instances, max(8, 4*runtime.GOMAXPROCS(0)))
	set(&l.Queue, 4096)
	return l
}

// instrument returns what package instrument needs of the limits.
func (l *Limits) instrument() *instrument.Limits {
	return &instrument.Limits{Size: maxModule, MemoryPages: int(l.MemoryPages), TableElements: int(l.TableElements)}
}
