package picture

import (
	"math"
	"slices"

	"rths/campaign/analyse"
)

// planePictures are a sheet of each plane; that of predictors stands below that of main steps.
func planePictures(name string, planes []*analyse.Plane) []picture {
	var out []picture
	for _, p := range planes {
		var tiles []tile
		for _, l := range p.Layers {
			m := planeMap(p, l)
			tiles = append(tiles, m.tile(layerScale(l)))
		}
		if n := len(out); p.Caption == "" && n > 0 {
			out[n-1].tiles = append(out[n-1].tiles, tiles...)
			continue
		}
		caption := p.Caption + " The cross is the test as it is."
		var all []float64
		for _, l := range p.Layers {
			all = append(all, slices.Concat(l.Value...)...)
		}
		if slices.ContainsFunc(all, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, -1) }) {
			caption += " Grey cells with lines: no delay is tolerated, or there is no such test."
		}
		if slices.Contains(all, math.Inf(1)) {
			caption += " White cells: every delay is tolerated."
		}
		out = append(out, picture{file: p.Name, title: name, caption: caption, wide: true, stacked: true, tiles: tiles})
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
