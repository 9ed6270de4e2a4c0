// Package syntax reads and writes the strict YAML of scenarios and of files like them. The keys of a block are the
// yaml tags of a struct, its documentation the doc tags, its defaults the values; a block that chooses a kind takes
// the struct from a row of a table. The package knows no key of a test: what a Format says of them is all.
package syntax
