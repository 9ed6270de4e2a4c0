package page

import (
	"math"
	"strconv"
)

// frame is what every viewer gets 25 times a second.
type frame struct {
	Number   int       `json:"n"`
	Now      Now       `json:"now"`
	T        float64   `json:"t"`     // since the first row, s
	Start    *float64  `json:"start"` // of the run, in the same time; nil: not yet
	Rows     int       `json:"rows"`  // of the feed
	Cause    string    `json:"cause"`
	Late     int       `json:"late"`
	MostLate int       `json:"most_late"`
	Readings int       `json:"readings_lost"`
	Commands int       `json:"commands_lost"`
	Free     int64     `json:"free"` // of the disk, bytes; -1: not known
	Viewers  int       `json:"viewers"`
	Dropped  int64     `json:"dropped"`
	Armed    string    `json:"armed"`
	Holder   int       `json:"holder"`
	Log      []line    `json:"log"`
	Question *asking   `json:"question"`
	Verdict  *Verdict  `json:"verdict"`
	values   []float64 // of the quantities in the newest row
	peak     []float64 // of the limits since the last frame
	worst    []float64 // of the test
}

// text is the event of a frame.
func (f *frame) text(bins []bin) []byte {
	out := append(make([]byte, 0, 4096), "event: frame\ndata: "...)
	out = appendJSON(out, f)
	out = out[:len(out)-1] // its closing bracket
	for _, list := range []struct {
		name string
		v    []float64
	}{{"values", f.values}, {"peak", f.peak}, {"worst", f.worst}} {
		out = append(out, `,"`+list.name+`":`...)
		out = appendNumbers(out, list.v)
	}
	out = append(out, `,"bins":`...)
	out = appendBins(out, bins)
	return append(out, "}\n\n"...)
}

func appendBins(out []byte, bins []bin) []byte {
	out = append(out, '[')
	for i, b := range bins {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumbers(out, b)
	}
	return append(out, ']')
}

// appendNumbers writes six digits: a curve shows four at most. What is not finite is null.
func appendNumbers(out []byte, v []float64) []byte {
	out = append(out, '[')
	for i, x := range v {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, x, 'g', 7, 64)
	}
	return append(out, ']')
}
