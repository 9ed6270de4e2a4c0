package liberationsansbolditalic

import "github.com/go-fonts/liberation/liberationsansregular"

var TTF = liberationsansregular.TTF
