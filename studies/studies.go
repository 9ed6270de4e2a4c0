// Package studies carries the shipped study files inside the binary.
package studies

import "embed"

// Files holds every study of this folder by its file name.
//
//go:embed *.yaml
var Files embed.FS
