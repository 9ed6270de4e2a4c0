package picture

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
	"rths/result/report"
	"rths/scenario/files"
)

// StudyPlots draws the pictures of a study into files of dir, named after what they show, as
// scatter.png or boxes-2.svg, and returns their paths. The format is "png", "svg" or "" for both.
func StudyPlots(dir, format string, s *Study) ([]string, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return savePictures(dir, format, s.pictures())
}

// TablePlots draws a table of numbers as s has it: lines over a swept input, or else criteria by the levels of the
// first input, a tile for each combination of the other levels. The files are NAME.png and NAME.svg of dir, with
// numbers where there are several pictures.
func TablePlots(dir, name string, s *Study) ([]string, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	pictures := s.sweeps()
	if len(pictures) == 0 {
		pictures = s.comparisons()
	}
	for i := range pictures {
		pictures[i].file, pictures[i].title = fileName(name, i), s.Name
	}
	return savePictures(dir, "", pictures)
}

// savePictures draws pictures into files of dir.
func savePictures(dir, format string, pictures []picture) ([]string, error) {
	formats := map[string][]string{"": {"png", "svg"}, "png": {"png"}, "svg": {"svg"}}[format]
	if formats == nil {
		return nil, fmt.Errorf("report: format %q: want png or svg", format)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var paths []string
	for _, pic := range pictures {
		for _, f := range formats {
			path := filepath.Join(dir, pic.file+"."+f)
			if err := pic.save(path, f); err != nil {
				return paths, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// columns is how many tiles stand beside each other on a sheet.
func (p picture) columns() int {
	switch {
	case p.stacked:
		return 1
	case p.size > 0:
		return min(max(1, p.beside), len(p.tiles))
	case p.wide:
		return min(2, len(p.tiles))
	}
	return min(3, len(p.tiles))
}

// save draws the picture as a sheet: title, caption, tiles in rows.
func (p picture) save(path, format string) error {
	columns := p.columns()
	width := p.width() * vg.Length(columns)
	head := p.head(width - 2*plotting.Margin)
	heights := p.rowHeights()
	height := 2 * plotting.Margin
	for _, l := range head {
		height += l.height()
	}
	for _, h := range heights {
		height += h
	}
	sheet, to := plotting.NewSheet(width, height, format, plotting.PNGDPI)
	c := draw.New(sheet)
	top := height - plotting.Margin
	for _, l := range head {
		c.FillText(l.style, vg.Point{X: plotting.Margin, Y: top}, l.text)
		top -= l.height()
	}
	top -= plotting.Margin
	for i, t := range p.tiles {
		x := p.width() * vg.Length(i%columns)
		t.draw(draw.Canvas{Canvas: sheet, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: top - t.height},
			Max: vg.Point{X: x + p.width(), Y: top}}})
		if (i+1)%columns == 0 {
			top -= heights[i/columns]
		}
	}
	return plotting.WriteSheet(path, to)
}

// rowHeights are the heights of the rows of tiles on a sheet.
func (p picture) rowHeights() []vg.Length {
	out := make([]vg.Length, (len(p.tiles)+p.columns()-1)/p.columns())
	for i, t := range p.tiles {
		row := i / p.columns()
		out[row] = max(out[row], t.height)
	}
	return out
}

// sheetLine is a line of text on top of a sheet.
type sheetLine struct {
	style draw.TextStyle
	text  string
}

func (l sheetLine) height() vg.Length { return 1.3 * l.style.Height("A") }

// head is title and caption in lines of a width.
func (p picture) head(width vg.Length) []sheetLine {
	title := plotting.NewPlot("", "").Title.TextStyle
	title.XAlign, title.YAlign = draw.XLeft, draw.YTop
	text := title
	text.Font.Size = plotting.TextSize - 1
	var out []sheetLine
	for _, line := range wrap(title, plotting.Short(p.title, mostLetters), width) {
		out = append(out, sheetLine{title, line})
	}
	for _, line := range wrap(text, plotting.PlainPowers(plotting.Short(p.caption, mostLetters)), width) {
		out = append(out, sheetLine{text, line})
	}
	return out
}

// mostLetters is the length of a caption on a sheet.
const mostLetters = 1000

// wrap breaks text into lines of at most a width.
func wrap(style draw.TextStyle, text string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

// Write writes the page of a study into its folder, and the pictures into the folder plots in it if a format is given
// (png or svg). It names the files; there are none where nothing has been run.
func (s *Study) Write(dir, format string) (names []string, err error) {
	if len(s.Status) == 0 && s.Search == nil {
		return nil, nil
	}
	page := func(w io.Writer) error { return StudyPage(w, s) }
	return writeFolder(dir, format, page, func(plots string) ([]string, error) { return StudyPlots(plots, format, s) })
}

// Write writes the page of an advice into its folder, and the pictures into the folder plots in it if a format is given
// (png or svg). It names the files.
func (a *Advice) Write(dir, format string) (names []string, err error) {
	page := func(w io.Writer) error { return AdvicePage(w, a) }
	return writeFolder(dir, format, page, func(plots string) ([]string, error) { return AdvicePlots(plots, format, a) })
}

// writeFolder writes a page, and pictures if a format is given.
func writeFolder(
	dir, format string, page func(io.Writer) error, draw func(dir string) ([]string, error),
) ([]string, error) {
	if err := files.Write(filepath.Join(dir, report.File), page); err != nil {
		return nil, fmt.Errorf("%s was not written: %w", report.File, err)
	}
	names := []string{report.File}
	if format == "" {
		return names, nil
	}
	paths, err := draw(filepath.Join(dir, "plots"))
	for _, path := range paths {
		names = append(names, filepath.Join("plots", filepath.Base(path)))
	}
	return names, err
}
