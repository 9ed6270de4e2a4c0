// The Liberation fonts of which gonum.org/v1/plot wants twelve faces: pictures have two, and the others would be 3.5 MB
// of the program. Each of the ten is Sans regular here.
module codeberg.org/go-fonts/liberation

go 1.26.0

require github.com/go-fonts/liberation v0.3.3
