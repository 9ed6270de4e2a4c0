package picture

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

//go:embed assets/study.css
var studyStyle string

//go:embed assets/study.html
var studyText string

var studyTemplate = sync.OnceValue(func() plotting.Template { return plotting.NewTemplate(studyText) })

// studyPage is the input of the template.
type studyPage struct {
	Title    string
	Verdicts []string
	Remarks  []string
	Explored []explored
	Pictures []pagePicture
	Tables   []studyTable
	Facts    []StudyFact
	CSS      plotting.Raw
	JS       plotting.Raw
}

type pagePicture struct {
	Title, Caption string
	Class          string // of the grid of tiles: "", wide, full
	Tiles          []plotting.Raw
}

//go:embed assets/study.js
var studyScript string

// PageFiles are the script and the style of the pages of studies and advices, for a page that shows them as its part.
// The script wants plot.js, the style page.css, of package plotting.
func PageFiles() map[string]string {
	return map[string]string{"study.js": studyScript, "study.css": studyStyle + adviceStyle}
}

// StudyPage writes a study as one HTML page that needs no network: the verdict in words, pictures, tables, facts.
// Pictures are of the first output, with histograms of the others. A script draws those of single runs.
// Runs that failed are crosses in the pictures, counted, and listed with their reasons. An
// error says which values do not fit the number of runs.
func StudyPage(w io.Writer, s *Study) error {
	if err := s.check(); err != nil {
		return err
	}
	p := studyPage{Title: cmp.Or(s.Name, "Study"), Verdicts: s.verdicts(), Remarks: s.remarks(), Tables: s.tables(),
		Facts: s.Facts}
	p.Explored = s.explored()
	for _, pic := range s.pictures() {
		if len(p.Explored) > 0 {
			pic.tiles = slices.DeleteFunc(pic.tiles, func(t tile) bool { return t.explored || pic.explored })
		}
		if !pic.tabled && len(pic.tiles) > 0 {
			p.Pictures = append(p.Pictures, pic.page())
		}
	}
	p.JS = plotting.Raw(plotting.Asset("plot.js") + studyScript)
	p.CSS = plotting.Raw(plotting.Asset("page.css") + studyStyle)
	return studyTemplate().Execute(w, p)
}

// remarks are what the study says, and what the pictures leave out.
func (s *Study) remarks() []string {
	out := slices.Clone(s.Remarks)
	if _, left := s.categories(); len(left) > 0 && len(s.Outputs) > 0 {
		out = append(out,
			fmt.Sprintf("Boxes and matrices are of the first %d inputs of levels with at most %d levels. Left out: %s.",
				mostCategories, mostLevels, strings.Join(left, ", ")))
	}
	for _, pair := range s.pairs() {
		if tooMany(pair[0], pair[1]) {
			out = append(out, fmt.Sprintf("There are no boxes of %s × %s: they would be more than %d.", pair[0].name,
				pair[1].name, mostBoxes))
		}
	}
	return out
}

// pictures are all that the study has, as on the page.
func (s *Study) pictures() []picture {
	out := append(s.search(), s.maps()...)
	add := func(p picture, ok bool) {
		if ok {
			out = append(out, p)
		}
	}
	if s.runs() > 0 && len(s.Outputs) > 0 {
		together := len(s.groups()) < 2 // several groups together have no distribution of their own
		if together {
			add(s.distribution())
		}
		out = append(out, s.sweeps()...)
		out = append(out, s.boxes()...)
		out = append(out, s.matrixPictures()...)
		if len(s.Outputs) > 1 {
			out = append(out, s.comparisons()...)
		}
		add(s.scatters())
		add(s.sobol())
		if together {
			add(s.others())
		}
		return out
	}
	add(s.sobol())
	return out
}

// page is the picture as tiles of the page.
func (p picture) page() pagePicture {
	out := pagePicture{Title: p.title, Caption: strings.TrimSpace(p.caption)}
	switch {
	case p.size > wideTile:
		out.Class = "full"
	case p.wide, p.size > narrowTile:
		out.Class = "wide"
	}
	for _, t := range p.tiles {
		out.Tiles = append(out.Tiles, t.inline(p))
	}
	return out
}

// inline is a tile as an element of a page.
func (t tile) inline(p picture) plotting.Raw {
	c, to := plotting.NewSheet(p.width(), t.height, "svg", 0)
	t.draw(draw.New(c))
	var b bytes.Buffer
	to.WriteTo(&b) // into memory
	drawn := b.String()
	drawn = drawn[strings.Index(drawn, "<svg"):]
	drawn = drawn[strings.Index(drawn, ">")+1:]
	w, h := c.Size()
	return plotting.Raw(fmt.Sprintf(`<svg viewBox="0 0 %.5g %.5g" role="img" aria-label="%s">`, w.Points(), h.Points(),
		html.EscapeString(t.words)) + drawn)
}
