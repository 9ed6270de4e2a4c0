//go:build !js

package report

import (
	"fmt"
	"os"
	"path/filepath"

	"rths/result/plotting"
	"rths/result/record"
)

// Loop is force over displacement of one specimen, sampled side by side.
type Loop struct {
	Name string
	X, F []float64 // m, N
}

// Loops draws the loops beside each other into NAME.png and
// NAME.svg of dir and returns their paths.
func Loops(dir, name string, loops []Loop) ([]string, error) {
	if len(loops) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	fs := &figures{}
	var list []figure
	for _, l := range loops {
		f := figure{id: name, title: l.Name, xLabel: "displacement, mm", yLabel: "force, kN", shape: small}
		f.line(true, l.Name, fs.add(scaled(l.X, 1e3)), fs.add(scaled(l.F, 1e-3)), plotting.Colours[0])
		list = append(list, f)
	}
	var paths []string
	for _, format := range []string{"png", "svg"} {
		path := filepath.Join(dir, name+"."+format)
		if err := fs.save(path, list, format); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func scaled(x []float64, by float64) trace {
	return trace{rate: 1, values: record.SignalOf(x).Times(by)}
}
