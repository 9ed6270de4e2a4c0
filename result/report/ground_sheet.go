//go:build !js

package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rths/result/plotting"
)

// Sizes of the picture.
const (
	sheetWidth      = 20 * vg.Centimeter
	historiesHeight = 17 * vg.Centimeter
	spectraHeight   = 8 * vg.Centimeter
)

// Plot draws histories and spectra on one sheet, a .png or .svg file.
func (g Ground) Plot(path string) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	if format != "png" && format != "svg" {
		return fmt.Errorf("report: %s: want a .png or .svg file", path)
	}
	fs := newGroundFigures(g)
	var histories [][]figure
	for _, f := range fs.sections[0].figures {
		if len(histories) > 0 { // the time axis is named once, below the last
			histories[len(histories)-1][0].xLabel = ""
		}
		histories = append(histories, []figure{f})
	}
	sheet, to := plotting.NewSheet(sheetWidth, historiesHeight+spectraHeight, format, plotting.PNGDPI)
	part := func(from, to vg.Length) draw.Canvas {
		return draw.Canvas{Canvas: sheet, Rectangle: vg.Rectangle{Min: vg.Point{Y: from},
			Max: vg.Point{X: sheetWidth, Y: to}}}
	}
	err := errors.Join(
		fs.drawTable(histories, part(spectraHeight, spectraHeight+historiesHeight)),
		fs.drawTable([][]figure{fs.sections[1].figures}, part(0, spectraHeight)),
	)
	if err != nil {
		return fmt.Errorf("report: %s: %w", path, err)
	}
	return plotting.WriteSheet(path, to)
}
