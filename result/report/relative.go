package report

// relate gives the curves of wide figures over time their differences from the curve of comparison: the dashed one of a
// run, the first of several runs. The page shows them on request.
func (fs *figures) relate() {
	for _, s := range fs.sections {
		for _, f := range s.figures {
			if f.shape == wide && f.overTime() && len(f.curves) > 1 {
				fs.relateIn(f)
			}
		}
	}
}

func (fs *figures) relateIn(f figure) {
	base := 0
	if !fs.several {
		if base = len(f.curves) - 1; !f.curves[base].dashed {
			return
		}
	}
	of := fs.traces[f.curves[base].y]
	for i, c := range f.curves {
		if t := fs.traces[c.y]; i != base && t.rate == of.rate && t.start == of.start {
			f.curves[i].less = fs.add(difference(t, of))
		}
	}
}
