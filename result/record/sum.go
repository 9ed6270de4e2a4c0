package record

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Sum is the hash of a file of numbers, made while the file was written.
type Sum struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`  // that the run has written; where the record failed, of whole messages alone
	SHA256 string `json:"sha256"` // of these bytes, hexadecimal
}

// sumOf is the entry of a file; nil where there is none.
func sumOf(list []Sum, file string) *Sum {
	for i := range list {
		if list[i].File == file {
			return &list[i]
		}
	}
	return nil
}

// digest hashes the messages of a stream beside their writer, one at a time: SHA-256 takes as long
// as the rest of the recording.
type digest struct {
	sha   hash.Hash
	bytes int64
	idle  chan struct{} // holds an entry while no message is hashed
}

func newDigest() *digest {
	d := &digest{sha: sha256.New(), idle: make(chan struct{}, 1)}
	d.idle <- struct{}{}
	return d
}

// add hashes a message, which must not change until the next add or sum returns. It waits for the message before.
func (d *digest) add(message []byte) {
	<-d.idle
	go func() {
		d.sha.Write(message)
		d.bytes += int64(len(message))
		d.idle <- struct{}{}
	}()
}

// sum is the entry of the file, of all messages so far.
func (d *digest) sum(file string) Sum {
	<-d.idle
	defer func() { d.idle <- struct{}{} }()
	return Sum{file, d.bytes, hex.EncodeToString(d.sha.Sum(nil))}
}
