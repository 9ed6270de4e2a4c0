package stability

// half is ½ xᵀA x of a symmetric matrix.
func half(a, x []float64) float64 {
	if len(x) == 3 { // written out: half of the time
		a, x0, x1, x2 := (*[9]float64)(a), x[0], x[1], x[2]
		return (x0*(a[0]*x0+2*(a[1]*x1+a[2]*x2)) + x1*(a[4]*x1+2*a[5]*x2) + a[8]*x2*x2) / 2
	}
	sum := 0.0
	for i, xi := range x {
		row := a[:len(x)]
		a = a[len(x):]
		off := 0.0
		for j := range i {
			off += row[j] * x[j]
		}
		sum += xi * (off + row[i]*xi/2)
	}
	return sum
}

// halfDiagonal is the same of a diagonal matrix.
func halfDiagonal(a, x []float64) float64 {
	sum := 0.0
	for i, xi := range x {
		sum += a[i] * xi * xi
	}
	return sum / 2
}

// halfM, halfC and halfK are ½ xᵀM x, ½ xᵀC x and ½ xᵀK x.
func (e *Energies) halfM(x []float64) float64 {
	switch {
	case e.sparse != nil:
		return halfDiagonal(e.sparse.M, x)
	case e.mass != nil:
		return halfDiagonal(e.mass, x)
	}
	return half(e.m, x)
}

func (e *Energies) halfC(x []float64) float64 {
	if e.sparse != nil {
		return halfDiagonal(e.sparse.C, x) + e.sparse.A1*e.halfK(x)
	}
	return half(e.c, x)
}

func (e *Energies) halfK(x []float64) float64 {
	if e.sparse == nil {
		return half(e.k, x)
	}
	e.sparse.K.MulVec(e.kx, x)
	sum := 0.0
	for i, kx := range e.kx {
		sum += x[i] * kx
	}
	return sum / 2
}
