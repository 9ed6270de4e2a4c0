package signal

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"rths/maths/portable"

	"rths"
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

// Noise is Gaussian white noise: one independent value per sample, with the bits
// of rand.Rand.NormFloat64.
type Noise struct {
	sd  float64
	pcg rand.PCG
	r   *rand.Rand // draws from pcg
}

// NewNoise returns noise of standard deviation sd from the named stream.
func NewNoise(seed uint64, stream string, sd float64) *Noise {
	n := &Noise{sd: sd, pcg: *Stream(seed, stream)}
	n.r = rand.New(&n.pcg)
	return n
}

// Next is the next value.
func (n *Noise) Next() float64 {
	before := n.pcg
	u := n.pcg.Uint64()
	l := &layers[u>>32%uint64(len(layers))]
	if x := float64(int32(u)); math.Abs(x) < l.inside {
		return n.sd * (x * l.width) // 97 of 100
	}
	n.pcg = before
	return n.sd * n.r.NormFloat64()
}

// layers are the ziggurat of the standard library's normal numbers: layers of equal area
// under the density (Marsaglia and Tsang 2000, doi:10.18637/jss.v005.i08). A value inside
// the layer above is accepted at once; the library decides all others.
var layers = ziggurat()

type layer struct {
	width  float64 // per unit of the integer
	inside float64 // smaller integers are accepted
}

func ziggurat() (out [128]layer) {
	const (
		tail  = 3.442619855899      // where the lowest layer ends and the tail begins
		area  = 9.91256303526217e-3 // of a layer
		units = 1 << 31
	)
	density := func(x float64) float64 { return portable.Exp(-x * x / 2) }
	rounded := func(width float64) float64 { return float64(float32(width / units)) } // as the library holds it
	// width of the lowest layer, had it no tail
	base := area / density(tail)
	out[0] = layer{rounded(base), math.Floor(tail / base * units)}
	x := tail
	for i := len(out) - 1; i > 0; i-- {
		above := 0.0
		if i > 1 {
			above = math.Sqrt(-2 * math.Log(area/x+density(x)))
		}
		out[i] = layer{rounded(x), math.Floor(above / x * units)}
		x = above
	}
	return out
}

// VisitState visits the generator's 128 bits as four whole numbers.
func (n *Noise) VisitState(v *rths.StateVisitor) { visitPCG(v, &n.pcg) }

// visitPCG visits the generator's 128 bits.
func visitPCG(v *rths.StateVisitor, pcg *rand.PCG) {
	var room [20]byte
	b, err := pcg.AppendBinary(room[:0])
	if err != nil {
		panic(err) // PCG never fails to marshal
	}
	for i := 4; i < 20; i += 4 { // after the tag "pcg:"
		word := float64(binary.BigEndian.Uint32(b[i:]))
		v.Float(&word)
		binary.BigEndian.PutUint32(b[i:], uint32(word))
	}
	if err := pcg.UnmarshalBinary(b); err != nil {
		panic(err) // the tag and length are right
	}
}
