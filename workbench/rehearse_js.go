package workbench

import "context"

func (d *Desk) rehearse(context.Context, Rehearse, func(float64)) (Rehearsed, error) {
	return Rehearsed{}, Refuse("a page without rths makes no records: want rths ui, or rths run in a terminal")
}
