package plotting

import "embed"

//go:embed assets
var assets embed.FS

// Asset is a file that pages with plots share: page.css is their style, plot.js draws on uplot/uPlot.iife.min.js with
// the style uplot/uPlot.min.css. A name that is not there panics.
func Asset(name string) string {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(content)
}
