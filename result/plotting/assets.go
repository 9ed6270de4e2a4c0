package plotting

import "embed"

//go:embed assets
var assets embed.FS

// Asset is a file that pages with plots share: page.css is their style, plot.js draws on uplot/uPlot.iife.min.js with
// the style uplot/uPlot.min.css. A name that is not there panics.
func Asset(name string) string { return TextOf(assets, name) }

// TextOf is a file of an assets folder. A name that is not there panics.
func TextOf(folder embed.FS, name string) string {
	content, err := folder.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return string(content)
}
