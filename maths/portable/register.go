//go:build !amd64

package portable

import "gonum.org/v1/gonum/blas/blas64"

func init() { blas64.Use(BLAS{}) }
