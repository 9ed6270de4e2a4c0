package foreign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// array5 is a dataset of numbers of one or two dimensions.
type array5 struct {
	f       *hdf5
	path    string
	storage storage5
	dims    [2]int // in the order of C; the second is 1 where there is one
	most    [2]int // that they may grow to
	along   int    // the longer one: it is read in this direction
	size    int    // bytes of an element
	chunks  []chunk5
}

// chunk5 is a chunk, from an element on.
type chunk5 struct {
	at                 [2]int
	stored, mask, addr uint64
}

// band5 is a part of a dataset in the direction in which it is read. Element j across at place k of the band begins at
// k step + j across bytes.
type band5 struct {
	first, n     int
	raw          []byte
	step, across int
}

// bandBytes are about the bytes of a band of a dataset that has no chunks.
const bandBytes = 1 << 20

// find looks where the elements are, and whether all are there and can be read.
func (a *array5) find(flat bool) error {
	s := &a.storage
	for i, d := range a.dims {
		if d < 0 || d > mostNumbers/a.dims[1-i] {
			return fmt.Errorf("%v numbers: want at most %d", a.dims, mostNumbers)
		}
	}
	n := a.dims[0] * a.dims[1]
	if a.size > 1<<20 {
		return fmt.Errorf("elements of %d bytes: want at most 1 MB", a.size)
	}
	if s.class != 0 && s.addr == undefined {
		return cannot{"nothing was written into it"}
	}
	switch total := uint64(n) * uint64(a.size); {
	case s.class == 0 && uint64(len(s.raw)) < total:
		return fmt.Errorf("%d bytes: want %d", len(s.raw), total)
	case s.class == 0:
		return nil
	case s.class == 1:
		if size := uint64(a.f.size - a.f.base); s.addr > size || total > size-s.addr {
			return fmt.Errorf("byte %d: the file ends before %d bytes there", s.addr, total)
		}
		return nil
	}
	dimensions := 2
	if flat {
		dimensions = 1
	}
	if len(s.chunk) != dimensions {
		return fmt.Errorf("chunks of %d dimensions in a dataset of %d", len(s.chunk), dimensions)
	}
	if flat {
		s.chunk = append(s.chunk, 1)
	}
	bytes := a.size
	for _, d := range s.chunk {
		if d < 1 || bytes > mostChunkSize/d {
			return fmt.Errorf("chunks of %v elements: want 1 or more, of at most %d MB", s.chunk, mostChunkSize>>20)
		}
		bytes *= d
	}
	if across := a.dims[1-a.along]; s.chunk[a.along] > MostInMemory/a.size/across {
		return cannot{fmt.Sprintf("%d chunks of %v side by side: want none, as by h5repack -f NONE -l CONTI OLD NEW", across,
			s.chunk)}
	}
	for _, p := range s.filters {
		if p.id < 1 || p.id > 3 {
			return unknown5(p.id)
		}
	}
	return a.index(dimensions, n)
}

// index lists the chunks.
func (a *array5) index(dimensions, n int) error {
	s := &a.storage
	var err error
	if s.index != 0 {
		err = a.listed(dimensions)
	} else {
		err = a.f.tree(s.addr, 1, 8+8*(dimensions+1), 0, func(k []byte, child uint64) error {
			c := &cursor5{f: a.f, b: k}
			one := chunk5{stored: c.u(4), mask: c.u(4), addr: child}
			for i := range dimensions {
				if one.at[i] = int(min(c.u(8), 1<<40)); one.at[i]%s.chunk[i] != 0 || one.at[i] >= a.dims[i] {
					return nil // beyond the edge: a dataset that was made smaller
				}
			}
			return a.take(one)
		})
	}
	if err != nil {
		return err
	}
	slices.SortFunc(a.chunks, func(x, y chunk5) int {
		return cmp.Or(cmp.Compare(x.at[a.along], y.at[a.along]), cmp.Compare(x.at[1-a.along], y.at[1-a.along]))
	})
	filled := 0
	for i, c := range a.chunks {
		if i > 0 && c.at == a.chunks[i-1].at {
			return fmt.Errorf("two chunks at %v: want one", c.at)
		}
		part := min(s.chunk[0], a.dims[0]-c.at[0]) * min(s.chunk[1], a.dims[1]-c.at[1])
		if filled += part; s.plainEdges && part < s.chunk[0]*s.chunk[1] {
			a.chunks[i].mask = math.MaxUint32
		}
	}
	if filled != n {
		return cannot{fmt.Sprintf("%d of %d numbers were written: want all", filled, n)}
	}
	return nil
}

// bands reads the dataset from its first place to its last.
func (a *array5) bands(each func(band5) error) error {
	if a.storage.class == 2 {
		return a.chunked(each)
	}
	long, across := a.dims[a.along], a.dims[1-a.along]
	some := max(1, bandBytes/a.size/across)
	for first := 0; first < long; first += some {
		b := band5{first: first, n: min(some, long-first)}
		var err error
		if a.along == 0 {
			b.step, b.across = across*a.size, a.size
			b.raw, err = a.plain(first*across, b.n*across)
		} else {
			b.step, b.across = a.size, b.n*a.size
			for j := 0; j < across && err == nil; j++ {
				var row []byte
				row, err = a.plain(j*long+first, b.n)
				b.raw = append(b.raw, row...)
			}
		}
		if err == nil {
			err = each(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain is n elements that stand in a row.
func (a *array5) plain(first, n int) ([]byte, error) {
	if a.storage.class == 0 {
		return a.storage.raw[first*a.size : (first+n)*a.size], nil
	}
	return a.f.at(a.storage.addr+uint64(first)*uint64(a.size), n*a.size)
}

// chunked is bands of a dataset with chunks: those that begin at one place.
func (a *array5) chunked(each func(band5) error) error {
	chunk, across := a.storage.chunk, a.dims[1-a.along]
	long := chunk[a.along]
	out := make([]byte, long*across*a.size)
	b := band5{step: across * a.size, across: a.size}
	width := across // elements of a row of out
	if a.along == 1 {
		b.step, b.across, width = a.size, long*a.size, long
	}
	for i := 0; i < len(a.chunks); {
		b.first = a.chunks[i].at[a.along]
		b.n = min(long, a.dims[a.along]-b.first)
		for ; i < len(a.chunks) && a.chunks[i].at[a.along] == b.first; i++ {
			c := a.chunks[i]
			raw, err := a.f.at(c.addr, int(min(c.stored, 1<<40)))
			if err == nil {
				raw, err = unfiltered(raw, a.storage.filters, c.mask, a.size, chunk[0]*chunk[1]*a.size)
			}
			if err != nil {
				return fmt.Errorf("chunk at %v: %w", c.at, err)
			}
			at := c.at
			at[a.along] = 0
			rows, columns := min(chunk[0], a.dims[0]-c.at[0]), min(chunk[1], a.dims[1]-c.at[1])
			for r := range rows {
				copy(out[((at[0]+r)*width+at[1])*a.size:][:columns*a.size], raw[r*chunk[1]*a.size:])
			}
		}
		b.raw = out
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// values are the numbers of a field, in the order of C.
func (a *array5) values(field field5) ([]float64, error) {
	out := make([]float64, a.dims[0]*a.dims[1]*field.count)
	step, across := a.dims[1], 1
	if a.along == 1 {
		step, across = 1, a.dims[1]
	}
	err := a.bands(func(b band5) error {
		for k := range b.n {
			for j := range a.dims[1-a.along] {
				from := b.raw[k*b.step+j*b.across+field.at:]
				to := out[((b.first+k)*step+j*across)*field.count:]
				for i := range field.count {
					to[i] = field.number(from[i*field.size:])
				}
			}
		}
		return nil
	})
	return out, err
}

// signals reads numbers of several fields, each all across, in pieces: column i is number i across of the first field,
// and so on.
func (a *array5) signals(fields []field5, put func(column int, values []float64) error) error {
	var out []float64
	return a.bands(func(b band5) error {
		column := 0
		for _, field := range fields {
			across, from := a.dims[1-a.along], b.across
			if field.count > 1 {
				across, from = field.count, field.size
			}
			for j := range across {
				out = out[:0]
				for at := field.at + j*from; len(out) < b.n; at += b.step {
					out = append(out, field.number(b.raw[at:]))
				}
				if err := put(column, out); err != nil {
					return err
				}
				column++
			}
		}
		return nil
	})
}
