// Package scenarios carries the shipped scenarios inside the binary.
package scenarios

import "embed"

// Files holds every scenario of this folder by its file name.
//
//go:embed *.yaml
var Files embed.FS

// Templates holds the scenarios that rths init writes, as init/CASE.yaml.
//
//go:embed init/*.yaml
var Templates embed.FS
