package signal

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// Stream returns the generator of one named consumer of a scenario's seed.
// Every consumer has a stream of its own, so that adding one does not shift
// another.
func Stream(seed uint64, name string) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.NewPCG(seed, h.Sum64())
}

// PowerToSD is the standard deviation of Simulink's band-limited white noise
// of the given power and sample time (s): sqrt(power/dt).
func PowerToSD(power, dt float64) float64 { return math.Sqrt(power / dt) }

// Noise is Gaussian white noise: one independent value per sample.
type Noise struct {
	sd  float64
	pcg *rand.PCG
	r   *rand.Rand
}

// NewNoise returns noise of standard deviation sd from the named stream.
func NewNoise(seed uint64, stream string, sd float64) *Noise {
	pcg := Stream(seed, stream)
	return &Noise{sd: sd, pcg: pcg, r: rand.New(pcg)}
}

// Next is the next value.
func (n *Noise) Next() float64 { return n.sd * n.r.NormFloat64() }

// AppendState appends the generator's 128 bits as four whole numbers.
func (n *Noise) AppendState(dst []float64) []float64 {
	b, err := n.pcg.MarshalBinary()
	if err != nil {
		panic(err) // PCG never fails to marshal
	}
	for i := 4; i < 20; i += 4 { // after the tag "pcg:"
		dst = append(dst, float64(binary.BigEndian.Uint32(b[i:])))
	}
	return dst
}

// SetState takes what AppendState appended.
func (n *Noise) SetState(src []float64) []float64 {
	b := append(make([]byte, 0, 20), "pcg:"...)
	for _, v := range src[:4] {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	if err := n.pcg.UnmarshalBinary(b); err != nil {
		panic(err) // the tag and length are right
	}
	return src[4:]
}
