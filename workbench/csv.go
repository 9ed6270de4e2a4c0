package workbench

import (
	"context"
	"strings"
)

// Table is the frames of a run as CSV.
type Table struct {
	CSV string `json:"csv"`
}

// CSV is the frames of the run of a text.
func (d *Desk) CSV(ctx context.Context, in Place, progress func(float64)) (Table, error) {
	if err := in.check(); err != nil {
		return Table{}, err
	}
	t, err := d.run(ctx, in, false, progress)
	if err != nil {
		return Table{}, err
	}
	defer d.kept.release(t)
	var out strings.Builder
	if err := t.run.WriteCSV(&out); err != nil {
		return Table{}, err
	}
	return Table{out.String()}, nil
}
