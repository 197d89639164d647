package selftest

import (
	"fmt"
	"runtime/debug"
	"time"
)

// grows does some work and returns how much more memory this process had meanwhile
// than before, in bytes; -1 where the system does not tell.
func (w *world) grows(work func()) int64 {
	debug.FreeOSMemory() // what earlier vectors have left
	before := residentMemory()
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			most = max(most, residentMemory())
			select {
			case <-stop:
				done <- max(most, residentMemory())
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	work()
	close(stop)
	most := <-done
	if before < 0 {
		return -1
	}
	return most - before
}

// tooMuch judges whether memory grew more than what was allowed, and the bound.
func (w *world) tooMuch(grown, allowed int64, what string) {
	if grown > allowed+w.memory {
		w.through("%s took %d MiB of memory", what, grown>>20)
	}
}

func mebibytes(n int64) string {
	if n < 0 {
		return "memory that this system does not tell of"
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
