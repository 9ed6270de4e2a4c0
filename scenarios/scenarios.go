// Package scenarios carries the shipped scenarios inside the binary.
package scenarios

import "embed"

// Files holds every scenario of this folder by its file name.
//
//go:embed *.yaml
var Files embed.FS
