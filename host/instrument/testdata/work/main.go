// Command work is a guest whose metering is measured: it answers a JSON call, and
// searches text in three ways.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

func main() {}

type message struct {
	Op   string            `json:"op"`
	ID   int               `json:"id"`
	Args map[string]any    `json:"args"`
	Tags []string          `json:"tags"`
	Meta map[string]string `json:"meta"`
}

var (
	call []byte
	text []byte
	sink int
)

func init() {
	m := message{Op: "call", ID: 7, Args: map[string]any{"path": "/a/b", "n": 12.5, "all": true}, Meta: map[string]string{}}
	for len(m.Tags) < 200 {
		m.Tags = append(m.Tags, "a tag with \"quotes\" and some text in it")
	}
	call, _ = json.Marshal(m)
	for i := 0; len(text) < 1<<17; i++ {
		text = append(text, "func (s *Server) handle(w http.ResponseWriter, r *http.Request) error { return s.log(r) } // line of code\n"...)
	}
	text = append(text, "the needle is here\n"...)
	for i := range table {
		table[i] = 0
	}
	for c := byte('a'); c <= 'z'; c++ { // [a-z]{3}[0-9]
		table[0<<8|int(c)], table[1<<8|int(c)], table[2<<8|int(c)], table[3<<8|int(c)] = 1, 2, 3, 3
	}
	for c := byte('0'); c <= '9'; c++ {
		table[3<<8|int(c)] = 4
	}
	for c := range 256 {
		table[4<<8|c] = 4
	}
}

var table [5 << 8]byte

//go:wasmexport json_call
func jsonCall() int32 {
	var m message
	if json.Unmarshal(call, &m) != nil {
		return -1
	}
	b, _ := json.Marshal(m)
	return int32(len(b))
}

//go:wasmexport search_words
func searchWords() int32 { // a pair of rare bytes, eight bytes a step
	const ones, high = 0x0101010101010101, 0x8080808080808080
	k, d := uint64('k')*0, uint64('d')*ones
	_ = k
	n := 0
	for at := 0; at+9 <= len(text); at += 8 {
		a := binary.LittleEndian.Uint64(text[at:]) ^ uint64('n')*ones
		b := binary.LittleEndian.Uint64(text[at+1:]) ^ d
		if hit := (a - ones) &^ a & high & ((b - ones) &^ b & high); hit != 0 {
			n += bits.OnesCount64(hit)
		}
	}
	return int32(n)
}

//go:wasmexport search_table
func searchTable() int32 { // a table-driven automaton
	n := int32(0)
	for rest := text; ; {
		line, after, ok := bytes.Cut(rest, []byte{'\n'})
		state := 0
		for _, c := range line {
			state = int(table[state<<8|int(c)])
		}
		if state == 4 {
			n++
		}
		if !ok {
			return n
		}
		rest = after
	}
}

//go:wasmexport search_branchy
func searchBranchy() int32 {
	return int32(bytes.Count(text, []byte("needle")) + bytes.Count(text, []byte("Writer")))
}
