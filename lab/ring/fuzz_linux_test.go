package ring_test

import (
	"os"
	"path/filepath"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/ring"
)

// FuzzHeader opens and reads a ring whose header begins with any bytes. What Open and Read accept can be used.
func FuzzHeader(f *testing.F) {
	const named = 160 // all bytes of the header that are not 0 stand before
	sound := soundFile(f)
	f.Add(sound[:named])
	f.Add([]byte{})
	for i := 0; i < named; i += 4 {
		damaged := append([]byte(nil), sound[:named]...)
		damaged[i] ^= 0xff
		f.Add(damaged)
	}
	path := filepath.Join(f.TempDir(), "fuzzed")
	f.Fuzz(func(t *testing.T, begin []byte) {
		file := append([]byte(nil), sound...)
		copy(file, begin[:min(len(begin), named)])
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := ring.Open(path); err == nil {
			useProducer(t, p)
		}
		if r, err := ring.Read(path); err == nil {
			useRest(t, r)
		}
	})
}

// soundFile is a ring of 12 numbers in which the loop has written and the supervisor has taken rows.
func soundFile(t testing.TB) []byte {
	p, c, path := newRing(t, 3, 4)
	for i := range uint64(6) {
		put(p, i)
		if i < 3 {
			c.Take(make([]float64, 3))
		}
	}
	return rthstest.Must(os.ReadFile(path))
}

func useProducer(t *testing.T, p *ring.Producer) {
	defer p.Close()
	if s := p.Shape(); s.Width*s.Rows != 12 || p.Behind() < 0 || p.Behind() > s.Rows {
		t.Errorf("%+v, %d rows behind: want 12 numbers", s, p.Behind())
	}
	for i := range uint64(13) {
		put(p, i)
	}
	if p.Next() != nil {
		t.Error("nobody takes rows, and the ring is not full")
	}
}

func useRest(t *testing.T, r *ring.Rest) {
	defer r.Close()
	row := make([]float64, r.Shape.Width)
	if r.Head-r.First > uint64(r.Shape.Rows) {
		t.Errorf("rows %d to %d in a ring of %d", r.First, r.Head, r.Shape.Rows)
	}
	for i := r.First; i < r.Head; i++ {
		if !r.Row(i, row) {
			t.Errorf("row %d is not there", i)
		}
	}
}
