// Package front is the page of the workbench: its document, its scripts, its style and its editor.
package front

import (
	"embed"
	"io/fs"
	"path"

	"rths/campaign/picture"
	"rths/result/plotting"
	"rths/result/report"
)

//go:embed assets
var assets embed.FS

// Files are the files of the page by name; index.html has {{nonce}} where the nonce of styles stands.
func Files() map[string][]byte {
	out := map[string][]byte{}
	list, _ := fs.ReadDir(assets, "assets") // in the program
	for _, f := range list {
		out[f.Name()] = []byte(plotting.TextOf(assets, f.Name()))
	}
	for name, of := range map[string]string{"uplot.js": "uplot/uPlot.iife.min.js", "plot.js": "plot.js",
		"uplot.css": "uplot/uPlot.min.css", "report.css": "page.css"} {
		out[name] = []byte(plotting.Asset(of))
	}
	for name, text := range picture.PageFiles() {
		out[name] = []byte(text)
	}
	for _, name := range report.Drawing {
		out[path.Base(name)] = []byte(report.Script(name))
	}
	return out
}
