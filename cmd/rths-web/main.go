package main

import (
	"context"
	"rths/workbench"
)

func main() {
	d, _ := workbench.Open(".", "", "")
	v, err := d.Call(context.Background(), "check", nil, nil)
	println(v, err)
}
