package liberationsansbold

import "github.com/go-fonts/liberation/liberationsansbold"

var TTF = liberationsansbold.TTF
