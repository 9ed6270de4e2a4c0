package report

import (
	"fmt"
	"slices"
	"strings"

	"rths/result/record"
)

// place is where the motion of a run took place.
type place struct {
	Class string // of the style: virtual, laboratory or unknown
	Name  string // VIRTUAL, LABORATORY with its name, or that it is not known
	Text  string // what this means
	More  string // of a page of one run
	Runs  string // of a page of several: whose place this is
}

// virtual is the place of everything that is only computed.
const (
	virtual   = record.Virtual
	stillText = "no real rig has moved"
)

// placeOf says where the motion of a run took place. Judged data of another program do not say where.
func placeOf(a *record.Archive) place {
	r := a.Manifest.Rig
	switch {
	case r != nil && r.Virtual:
		return place{Class: "virtual", Name: virtual, Text: stillText,
			More: fmt.Sprintf("the rig %s at %s is a virtual laboratory", r.Laboratory, r.Address)}
	case r != nil:
		return place{Class: "laboratory", Name: strings.TrimSpace("LABORATORY " + r.Laboratory), Text: "a real rig has moved",
			More: "its address is " + r.Address}
	case a.Manifest.Place() == "":
		return place{Class: "unknown", Name: "JUDGED DATA",
			Text: "another program has recorded them, and whether a rig has moved is not known"}
	}
	return place{Class: "virtual", Name: virtual, Text: stillText}
}

// places are the places of runs, each with the names of its runs where there are several.
func places(runs []*record.Archive, names []string) (out []place) {
	of := map[int][]string{}
	for i, a := range runs {
		p := placeOf(a)
		if len(runs) > 1 {
			p.More = "" // it stands among the settings
		}
		at := slices.Index(out, p)
		if at < 0 {
			at, out = len(out), append(out, p)
		}
		of[at] = append(of[at], names[i])
	}
	for i := range out {
		switch {
		case len(runs) > 1 && len(out) == 1:
			out[i].Runs = "all runs"
		case len(runs) > 1:
			out[i].Runs = strings.Join(of[i], ", ")
		}
	}
	order := []string{"laboratory", "unknown", "virtual"} // what has moved comes first
	slices.SortStableFunc(out, func(a, b place) int { return slices.Index(order, a.Class) - slices.Index(order, b.Class) })
	return out
}
