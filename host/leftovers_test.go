package host_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ohhost/ohhost/host"
)

// leftovers are what a process holds that tests and the hosts they closed must not
// leave behind, by what it is: descriptors, goroutines, child processes, and mappings
// of what guests had: their memory, the images they began with, their code. Where
// /proc does not tell, there are only goroutines.
type leftovers map[string]int

func takeLeftovers() leftovers {
	all := leftovers{}
	for fd, to := range openFiles() {
		all["file "+fd+" "+to]++
	}
	for _, g := range goroutines() {
		all["goroutine "+g]++
	}
	for _, c := range children() {
		all["process "+c]++
	}
	for _, m := range guestMappings() {
		all["mapping of "+m]++
	}
	return all
}

// since lists what is there now and was not before, sorted.
func (l leftovers) since(before leftovers) []string {
	var more []string
	for _, what := range slices.Sorted(maps.Keys(l)) {
		if n := l[what] - before[what]; n > 0 {
			more = append(more, fmt.Sprintf("%d of %s", n, what))
		}
	}
	return more
}

// settle waits a while for what is still ending, and returns what does not end.
func (l leftovers) settle() []string {
	var left []string
	for range 50 {
		time.Sleep(20 * time.Millisecond)
		if left = takeLeftovers().since(l); len(left) == 0 {
			break
		}
	}
	return left
}

// goroutines lists where each goroutine was started, but the runtime's own, those of
// package testing and of os/signal, and the one that asks.
func goroutines() []string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var all []string
	for i, g := range strings.Split(string(buf), "\n\n") {
		if i == 0 {
			continue // ours
		}
		_, stack, _ := strings.Cut(g, "\n")
		_, by, _ := strings.Cut(stack, "created by ")
		if strings.HasPrefix(by, "testing.") || strings.HasPrefix(by, "os/signal.") || by == "" {
			continue
		}
		by, _, _ = strings.Cut(by, " in goroutine")
		first, _, _ := strings.Cut(stack, "(")
		all = append(all, first+", started by "+by)
	}
	return all
}

// children lists the processes whose parent this one is.
func children() []string {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var all []string
	for _, name := range stats {
		b, err := os.ReadFile(name)
		end := strings.LastIndex(string(b), ")") // of the program's name, which may have any character
		if err != nil || end < 0 {
			continue
		}
		// After the name come the state and the parent (proc_pid_stat(5)).
		if f := strings.Fields(string(b)[end+1:]); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			all = append(all, string(b[:end+1]))
		}
	}
	return all
}

// guestMappings lists what is mapped for guests. Their memory is what nobody else maps
// here: large, and without reservation of swap (VmFlags nr, proc_pid_smaps(5)). The C
// library has its arenas like that, of which it uses little.
func guestMappings() []string {
	b, _ := os.ReadFile("/proc/self/smaps")
	var all []string
	var head []string // of the mapping that the lines are about
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case !strings.HasSuffix(f[0], ":"):
			head = f
			if len(f) > 5 && strings.HasPrefix(f[5], "/memfd:ohhost") {
				all = append(all, "an image, "+f[1])
			}
		case f[0] == "VmFlags:" && len(head) == 5 && head[1] == "rw-p" && size(head[0]) >= 1<<20 && slices.Contains(f, "nr") && !host.Interpreted:
			all = append(all, "memory") // the race detector maps its own in this way, too
		}
	}
	return all
}

// size is how large a mapping is, by its range of addresses.
func size(addresses string) uint64 {
	from, to, _ := strings.Cut(addresses, "-")
	begin, _ := strconv.ParseUint(from, 16, 64)
	end, _ := strconv.ParseUint(to, 16, 64)
	return end - begin
}
