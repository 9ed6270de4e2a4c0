package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StudyPlots draws the pictures of a study into files of dir, named after what they show, as
// scatter.png or boxes-2.svg, and returns their paths. The format is "png", "svg" or "" for both.
func StudyPlots(dir, format string, s *Study) ([]string, error) {
	formats := map[string][]string{"": {"png", "svg"}, "png": {"png"}, "svg": {"svg"}}[format]
	if formats == nil {
		return nil, fmt.Errorf("report: format %q: want png or svg", format)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var paths []string
	for _, pic := range s.pictures() {
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
	if p.wide {
		return min(2, len(p.tiles))
	}
	return min(3, len(p.tiles))
}

// save draws the picture as a sheet: title, caption, tiles in rows.
func (p picture) save(path, format string) error {
	columns := p.columns()
	width := p.width() * vg.Length(columns)
	heading := newPlot(figure{}).Title.TextStyle
	heading.XAlign, heading.YAlign = draw.XLeft, draw.YTop
	text := heading
	text.Font.Size = textSize - 1
	title := wrap(heading, short(p.title, 200), width-2*margin)
	lines := wrap(text, plainPowers(short(p.caption, 2000)), width-2*margin)
	height := heading.Height("A")*1.3*vg.Length(len(title)) + text.Height("A")*1.3*vg.Length(len(lines)) + 2*margin
	tiles := p.tiles
	var rows []vg.Length
	for i, t := range tiles {
		if i%columns == 0 {
			rows = append(rows, 0)
		}
		rows[len(rows)-1] = max(rows[len(rows)-1], t.height)
	}
	head := height
	for _, h := range rows {
		height += h
	}
	sheet, to := newSheet(width, height, format, pngDPI)
	c := draw.New(sheet)
	y := height - margin
	for _, part := range []struct {
		style draw.TextStyle
		lines []string
	}{{heading, title}, {text, lines}} {
		for _, l := range part.lines {
			c.FillText(part.style, vg.Point{X: margin, Y: y}, l)
			y -= 1.3 * part.style.Height("A")
		}
	}
	top := height - head
	for i, t := range tiles {
		x := p.width() * vg.Length(i%columns)
		t.draw(draw.Canvas{Canvas: sheet, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: top - t.height}, Max: vg.Point{X: x + p.width(), Y: top}}})
		if (i+1)%columns == 0 {
			top -= rows[i/columns]
		}
	}
	return writeSheet(path, to)
}

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
