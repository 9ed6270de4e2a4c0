package workbench

import "context"

// checkStudy says nothing of a study, whose scenario is a file.
func (d *Desk) checkStudy(context.Context, Place) (Checked, error) {
	return Checked{OK: true, Remarks: []Remark{}, Study: true}, nil
}
