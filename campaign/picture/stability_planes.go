package picture

import (
	"math"
	"slices"

	"rths/campaign/analyse"
)

// planePictures are a sheet of each plane; one without caption stands below the one before.
func planePictures(name string, planes []*analyse.Plane) []picture {
	var out []picture
	var all []float64
	for i, p := range planes {
		if p.Caption != "" {
			out = append(out, picture{file: p.Name, title: name, caption: p.Caption + " The cross is the test as it is.",
				wide: true, stacked: true})
			all = nil
		}
		pic := &out[len(out)-1]
		for _, l := range p.Layers {
			pic.tiles = append(pic.tiles, planeMap(p, l).tile(layerScale(l)))
			all = append(all, slices.Concat(l.Value...)...)
		}
		if last := i+1 == len(planes) || planes[i+1].Caption != ""; !last {
			continue
		}
		if slices.ContainsFunc(all, math.IsNaN) {
			pic.caption += " Grey cells with lines: no delay is tolerated, or there is no such test."
		}
		if slices.Contains(all, math.Inf(1)) {
			pic.caption += " White cells: every delay is tolerated."
		}
	}
	return out
}

// planeMap is a layer as a map.
func planeMap(p *analyse.Plane, l analyse.Layer) Map {
	return Map{X: p.X.Label, Y: p.Y.Label, LogX: p.X.Log, LogY: p.Y.Log, AtX: p.X.At, AtY: p.Y.At, NamesY: p.Y.Names,
		Value: l.Value, MarkX: p.X.Own, MarkY: p.Y.Own, Objective: l.Label, Contours: p.Y.Names == nil, Limit: l.Limit}
}

// beyondLimit is how far the colours go beyond the limit of stability, over how far they go on the stable side: how
// fast motion grows matters little.
const beyondLimit = 1.5

// layerScale is the scale of the colours.
func layerScale(l analyse.Layer) axis {
	all := slices.DeleteFunc(slices.Concat(l.Value...), func(v float64) bool { return !shown(v) })
	if l.Limit == nil || len(all) == 0 {
		return newScale(tight(all...), all...)
	}
	if low := slices.Min(all); low < *l.Limit {
		most := *l.Limit + beyondLimit*(*l.Limit-low)
		for i, v := range all {
			all[i] = min(v, most)
		}
	}
	return newScale(false, all...)
}
