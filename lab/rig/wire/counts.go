package wire

import "encoding/binary"

// Counts are the datagrams of one side of a session.
type Counts struct {
	Sent     uint64 `json:"sent"`     // datagrams sent, repeats included
	Received uint64 `json:"received"` // datagrams that came, whatever became of them
	Repeated uint64 `json:"repeated"` // of the received: had come before
	Old      uint64 `json:"old"`      // of the received: of another session, another sender, or overtaken
	Bad      uint64 `json:"bad"`      // of the received: damaged, or against the protocol
	Clipped  uint64 `json:"clipped"`  // of a rig: commands clipped to range or rate: others left
}

func (c *Counts) all() [6]*uint64 {
	return [...]*uint64{&c.Sent, &c.Received, &c.Repeated, &c.Old, &c.Bad, &c.Clipped}
}

func (c *Counts) put(body []byte) {
	for i, n := range c.all() {
		binary.LittleEndian.PutUint64(body[8*i:], *n)
	}
}

func (c *Counts) take(body []byte) {
	for i, n := range c.all() {
		*n = binary.LittleEndian.Uint64(body[8*i:])
	}
}
