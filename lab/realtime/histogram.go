package realtime

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A histogram of durations has bins of 1 µs from 1 to 1000 µs, and bins of equal ratio at both ends: from
// 10 ns to 1 µs eight in a decade, from 1 ms to 10 s thirty-two in a decade. The first bin has what is shorter,
// the last one what is longer.
const (
	lowBins    = 2 * 8
	middleBins = 999
	highBins   = 4 * 32
	bins       = 1 + lowBins + middleBins + highBins + 1
)

// HistogramWords is how many numbers a histogram needs: a count for each bin, and the largest value.
const HistogramWords = bins + 1

// edges are the upper edges of all bins but the last, ns.
var edges = makeEdges()

// edgesUs are the same, µs.
var edgesUs = func() (out []float64) {
	for _, e := range edges {
		out = append(out, float64(e)/1e3)
	}
	return out
}()

func makeEdges() []int64 {
	var out []int64
	for i := range lowBins {
		out = append(out, int64(math.Round(10*math.Pow(10, float64(i)/8))))
	}
	for i := range middleBins + 1 {
		out = append(out, int64(1000*(i+1)))
	}
	for i := range highBins {
		out = append(out, int64(math.Round(1e6*math.Pow(10, float64(i+1)/32))))
	}
	return out
}

// Histogram counts durations. Its numbers may lie in memory that another process reads meanwhile.
type Histogram struct{ words []atomic.Uint64 }

// NewHistogram counts in HistogramWords numbers, which it does not clear.
func NewHistogram(words []atomic.Uint64) Histogram { return Histogram{words[:HistogramWords]} }

// Add counts a duration, ns; a negative one counts as 0. It belongs to one goroutine.
func (h Histogram) Add(ns int64) {
	ns = max(ns, 0)
	at := &h.words[binOf(ns)]
	at.Store(at.Load() + 1)
	if most := &h.words[bins]; uint64(ns) > most.Load() {
		most.Store(uint64(ns))
	}
}

// binOf is the bin of a duration, ns: the first whose upper edge is above it.
func binOf(ns int64) int {
	if us := ns / 1000; us >= 1 && us < middleBins+1 {
		return lowBins + int(us)
	}
	at, exact := slices.BinarySearch(edges, ns)
	if exact {
		at++
	}
	return at
}

// Bin is how many durations there were from From (included) to To (not included); the last bin has no end.
type Bin struct {
	FromUs, ToUs float64
	Count        uint64
}

// Bins are those of a histogram that are not empty, from short to long. As text they are one word each,
// from:count, as in "16:1203 17:998": the ends are known.
type Bins []Bin

// MarshalText writes them.
func (b Bins) MarshalText() ([]byte, error) {
	var out []byte
	for i, bin := range b {
		if i > 0 {
			out = append(out, ' ')
		}
		out = append(strconv.AppendFloat(out, bin.FromUs, 'g', -1, 64), ':')
		out = strconv.AppendUint(out, bin.Count, 10)
	}
	return out, nil
}

// UnmarshalText reads them. Other bins than those of this version are an error.
func (b *Bins) UnmarshalText(text []byte) error {
	*b = nil
	for word := range strings.FieldsSeq(string(text)) {
		from, count, _ := strings.Cut(word, ":")
		us, err := strconv.ParseFloat(from, 64)
		n, err2 := strconv.ParseUint(count, 10, 64)
		if err = errors.Join(err, err2); err != nil {
			return fmt.Errorf("bin %q: want from:count: %w", word, err)
		}
		i := slices.Index(edgesUs, us) + 1
		if i == 0 && us != 0 {
			return fmt.Errorf("bin %q: want one that begins at an edge of this version", word)
		}
		*b = append(*b, Bin{us, endOf(i), n})
	}
	return nil
}

// endOf is the upper edge of a bin, µs.
func endOf(bin int) float64 {
	if bin == len(edges) {
		return math.Inf(1)
	}
	return edgesUs[bin]
}

// Distribution is what a histogram has counted. A quantile is the upper edge of its bin: the durations were
// at most that long; the largest is exact.
type Distribution struct {
	Count  uint64  `json:"count"`
	P50Us  float64 `json:"p50_us"`
	P99Us  float64 `json:"p99_us"`
	P999Us float64 `json:"p99_9_us"`
	MaxUs  float64 `json:"max_us"`
	Bins   Bins    `json:"bins"`
}

// Distribution is what has been counted so far.
func (h Histogram) Distribution() Distribution {
	d := Distribution{MaxUs: float64(h.words[bins].Load()) / 1e3}
	for i := range bins {
		n := h.words[i].Load()
		if n == 0 {
			continue
		}
		b := Bin{ToUs: endOf(i), Count: n}
		if i > 0 {
			b.FromUs = edgesUs[i-1]
		}
		d.Bins = append(d.Bins, b)
		d.Count += n
	}
	d.P50Us, d.P99Us, d.P999Us = d.Quantile(0.5), d.Quantile(0.99), d.Quantile(0.999)
	return d
}

// Quantile is a duration, µs, that a share of all was not above; 0 of none.
func (d Distribution) Quantile(share float64) float64 {
	wanted := uint64(math.Ceil(share * float64(d.Count)))
	sum := uint64(0)
	for _, b := range d.Bins {
		if sum += b.Count; sum >= wanted {
			return min(b.ToUs, d.MaxUs)
		}
	}
	return 0
}
