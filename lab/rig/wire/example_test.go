package wire_test

import (
	"fmt"

	"rths/lab/rig/wire"
)

// A datagram is sealed by one side and opened by the other, which refuses a damaged one.
func ExampleCodec() {
	key := []byte("the key of both sides, 32 bytes.")
	ours, theirs := wire.NewCodec(key), wire.NewCodec(key)
	var buf [1500]byte
	body := ours.Begin(buf[:], &wire.Header{Kind: wire.Command, Session: 7, Number: 1, NX: 1})
	copy(body, make([]byte, 8)) // a command of 0 m
	datagram := ours.Seal(buf[:])

	h, _, err := theirs.Open(datagram)
	fmt.Println(h.Kind == wire.Command, h.Number, err)

	datagram[20]++
	_, _, err = theirs.Open(datagram)
	fmt.Println(err != nil)
	// Output:
	// true 1 <nil>
	// true
}
