package structure

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// shelf is files by name.
type shelf map[string]string

func (s shelf) Open(path string, atMost int64) (io.ReadCloser, error) {
	text, ok := s[path]
	if !ok {
		return nil, fmt.Errorf("open %s: no such file", path)
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// from reads a matrix out of the only file.
func from(name, text, variable string) (*Table, error) {
	return readTable(shelf{name: text}, name, variable, false)
}

// text is a matrix as a file has it.
func rowsText(a *mat.Dense, separator string) string {
	var b strings.Builder
	n, cols := a.Dims()
	for i := range n {
		for j := range cols {
			if j > 0 {
				b.WriteString(separator)
			}
			fmt.Fprint(&b, a.At(i, j))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// marketText is a Matrix Market file of one of the four kinds.
func marketText(a *mat.Dense, coordinate, symmetric bool) string {
	n, _ := a.Dims()
	var b strings.Builder
	count := 0
	for j := range n {
		for i := range n {
			switch {
			case symmetric && i < j:
			case coordinate && a.At(i, j) != 0:
				count++
				fmt.Fprintf(&b, "%d %d %v\n", i+1, j+1, a.At(i, j))
			case !coordinate:
				fmt.Fprintf(&b, "%v\n", a.At(i, j))
			}
		}
	}
	kind, size, shape := "array", fmt.Sprintf("%d %d", n, n), "general"
	if coordinate {
		kind, size = "coordinate", fmt.Sprintf("%d %d %d", n, n, count)
	}
	if symmetric {
		shape = "symmetric"
	}
	return fmt.Sprintf("%%%%MatrixMarket matrix %s real %s\n%% made by a test\n\n%s\n%s", kind, shape, size, b.String())
}

// matText is a MAT-file with the matrix, full or sparse, and others beside it.
func matText(a *mat.Dense, sparse bool) string {
	n, _ := a.Dims()
	one := rthstest.MATArray{Name: "K", Class: 6, Storage: 9, Dims: []int32{int32(n), int32(n)}}
	if sparse {
		one.Class, one.Row, one.Start = 5, []int32{}, []int32{0}
	}
	for j := range n {
		for i := range n {
			switch v := a.At(i, j); {
			case !sparse:
				one.Values = append(one.Values, v)
			case v != 0:
				one.Values, one.Row = append(one.Values, v), append(one.Row, int32(i))
			}
		}
		if sparse {
			one.Start = append(one.Start, int32(len(one.Row)))
		}
	}
	wide := rthstest.MATArray{Name: "t", Class: 6, Storage: 9, Dims: []int32{1, 3}, Values: []float64{1, 2, 3}}
	return string(rthstest.MATFile(binary.LittleEndian, true, wide, one))
}

// Every format gives the matrix back to the bit.
func TestMatrixOfEveryFormat(t *testing.T) {
	three := regexp.MustCompile(`(?m)\.(\d{3})(;|$)`) // 256,125 alone may be thousands: 256,1250 may not
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				if rapid.Bool().Draw(t, "there") {
					v := rapid.Float64Range(-1e9, 1e9).Draw(t, "v")
					a.Set(i, j, v)
					a.Set(j, i, v)
				}
			}
		}
		files := shelf{
			"a.csv": rowsText(a, ","), "b.csv": "# made by hand\n" + rowsText(a, "; "), "c.TXT": rowsText(a, "\t"),
			"d.dat": "\ufeff" + rowsText(a, "   "),
			"e.csv": strings.ReplaceAll(rowsText(a, ","), "\n", ",\r\n"),
			"g.csv": strings.ReplaceAll(three.ReplaceAllString(rowsText(a, ";"), ".${1}0$2"), ".", ","),
			"f.mtx": marketText(a, true, true), "g.mtx": marketText(a, true, false), "h.mtx": marketText(a, false, true),
			"i.mtx": marketText(a, false, false),
			"j.mat": matText(a, false), "k.mat": matText(a, true),
		}
		for name := range files {
			got, err := readTable(files, name, "", false)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, files[name])
			}
			if !slices.Equal(got.dense(), a.RawMatrix().Data) {
				t.Errorf("%s: %v: want %v", name, got.dense(), a.RawMatrix().Data)
			}
			rows := mat.NewDense(n, n, got.dense())
			for _, e := range got.list() {
				rows.Set(e.Row, e.Col, rows.At(e.Row, e.Col)-e.V)
			}
			if mat.Norm(rows, 1) != 0 {
				t.Errorf("%s: entries differ from the numbers", name)
			}
		}
	})
}

// A small structure is the same to the bit, whatever its matrices come from.
func TestStructureFromFiles(t *testing.T) {
	m, k := mat.NewDense(2, 2, []float64{4, 1, 1, 3}), mat.NewDense(2, 2, []float64{50, -20, -20, 30})
	c := mat.NewDense(2, 2, []float64{0.5, 0.1, 0.1, 0.2})
	want := mustMake(t, &Matrices{Mass: Rows(rowsOf(m)), Stiffness: Rows(rowsOf(k)),
		Damping: Damping{Matrix: Rows(rowsOf(c))}, Influence: Vector{Values: []float64{1, 0}}})
	files := shelf{"/here/m.csv": rowsText(m, ","), "/here/k.mtx": marketText(k, true, true),
		"/there/c.mat": matText(c, true), "/here/g.csv": "1\n0\n"}
	p := &Matrices{
		Mass: Matrix{FromFile: FromFile{File: "m.csv"}}, Stiffness: Matrix{FromFile: FromFile{File: "k.mtx"}},
		Damping:   Damping{Matrix: Matrix{FromFile: FromFile{File: "/there/c.mat", Variable: "K"}}},
		Influence: Vector{FromFile: FromFile{File: "g.csv"}},
	}
	_, err := p.Make()
	rthstest.WantError(t, err, "influence matrix: the file g.csv has not been read")
	if err := p.Read(At{Files: files, BaseDir: "/here"}); err != nil {
		t.Fatal(err)
	}
	got := mustMake(t, p)
	nearMatrix(t, "M", got.M, want.M, 0)
	nearMatrix(t, "C", got.C, want.C, 0)
	nearMatrix(t, "K", got.K, want.K, 0)
	nearMatrix(t, "Γ", got.Gamma, want.Gamma, 0)
	delete(files, "/here/m.csv")
	if err := p.Read(At{Files: files, BaseDir: "/here"}); err != nil {
		t.Errorf("a file is read again: %v", err)
	}
	shear := &Shear{Masses: []float64{1, 1}, Stiffnesses: []float64{9, 9},
		Damping: Damping{Matrix: Matrix{FromFile: FromFile{File: "/there/c.mat"}}}}
	if err := shear.Read(At{Files: files}); err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "C of the frame", mustMake(t, shear).C, c, 0)
}

// inFiles is a structure of matrices in Matrix Market files of entries.
func inFiles(t testing.TB, m, c, k *mat.Dense) (*Structure, error) {
	t.Helper()
	p := &Matrices{Mass: Matrix{FromFile: FromFile{File: "m.mtx"}}, Stiffness: Matrix{FromFile: FromFile{File: "k.mtx"}}}
	files := shelf{"m.mtx": marketText(m, true, true), "k.mtx": marketText(k, true, false)}
	if c != nil {
		files["c.mtx"], p.Damping.Matrix.File = marketText(c, true, true), "c.mtx"
	}
	if err := p.Read(At{Files: files}); err != nil {
		t.Fatal(err)
	}
	return p.Make()
}

// Large sparse files stay sparse where their structure allows it, and C = aM + bK with a dashpot to the ground is held
// as diagonal and multiple of K. Either way the matrices equal those of the file.
func TestLargeStructureFromFiles(t *testing.T) {
	const n = 120
	p := banded(n, 5, Damping{})
	m, k := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		m.SetRow(i, p.Mass.Rows[i])
		k.SetRow(i, p.Stiffness.Rows[i])
	}
	var c, proportional mat.Dense
	c.Scale(0.3, m)
	proportional.Scale(2e-3, k)
	c.Add(&c, &proportional)
	c.Set(7, 7, c.At(7, 7)+5e4)
	coupled, joined := mat.DenseCopyOf(&c), mat.DenseCopyOf(m)
	coupled.Set(8, 7, coupled.At(8, 7)-3e4)
	coupled.Set(7, 8, coupled.At(7, 8)-3e4)
	coupled.Set(8, 8, coupled.At(8, 8)+3e4)
	joined.Set(3, 4, 1)
	joined.Set(4, 3, 1)
	empty := mat.DenseCopyOf(m)
	empty.Set(9, 9, 0)
	far := mat.DenseCopyOf(k)
	for _, at := range [][2]int{{0, 119}, {119, 0}} {
		far.Set(at[0], at[1], -1e3)
	}
	for _, test := range []struct {
		what    string
		m, c, k *mat.Dense
		sparse  bool
	}{
		{"undamped", m, nil, k, true},
		{"proportional, and a dashpot to the ground", m, &c, k, true},
		{"a dashpot between neighbours", m, coupled, k, false},
		{"coupled masses", joined, &c, k, false},
		{"no mass somewhere", empty, nil, k, false},
		{"an entry far from the diagonal", m, nil, far, false},
	} {
		s, err := inFiles(t, test.m, test.c, test.k)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		if (s.Sparse != nil) != test.sparse {
			t.Errorf("%s: sparse is %v: want %v", test.what, s.Sparse != nil, test.sparse)
		}
		d := s.Dense()
		nearMatrix(t, test.what+", M", d.M, test.m, 0)
		nearMatrix(t, test.what+", K", d.K, test.k, 0)
		if test.c != nil {
			nearMatrix(t, test.what+", C", d.C, test.c, 1e-8*mat.Max(test.c))
		}
	}
}

// What is wrong in a large file is said before anything of its size is made.
func TestLargeFilesRefused(t *testing.T) {
	const n = 100_000
	diagonal := func(v float64, more ...lti.Entry) *Table {
		t := &Table{rows: n, cols: n}
		for i := range n {
			t.entries = append(t.entries, lti.Entry{Row: i, Col: i, V: v})
		}
		return &Table{rows: n, cols: n, entries: append(t.entries, more...)}
	}
	with := func(m, k *Table) error {
		p := &Matrices{}
		p.Mass.File, p.Mass.read = "m.mtx", m
		p.Stiffness.File, p.Stiffness.read = "k.mtx", k
		_, err := p.Make()
		if err == nil {
			t.Fatal("no error")
		}
		return err
	}
	far := []lti.Entry{{Row: n - 1, Col: 2, V: -1}, {Row: 2, Col: n - 1, V: -1}}
	near := []lti.Entry{{Row: n / 2, Col: n/2 - 1, V: 1}, {Row: n/2 - 1, Col: n / 2, V: 1}}
	rthstest.WantError(t, with(diagonal(1), diagonal(5, far...)),
		"stiffness matrix of 100000 rows has a band of 99997 on each side of the diagonal (entry (100000,3)), 1e+10 "+
			"numbers: want at most 134217728; number the degrees of freedom so that neighbours have near numbers, as symrcm "+
			"does in MATLAB")
	rthstest.WantError(t, with(diagonal(1), diagonal(5, far[0])),
		"stiffness matrix is not symmetric: entry (100000,3) is -1, (3,100000) is 0")
	rthstest.WantError(t, with(diagonal(2, near...), diagonal(5)),
		"the mass matrix is not lumped: entry (50000,50001) is 1 kg; other structures are held with all numbers of their "+
			"matrices, of which there may be 25000000")
	rthstest.WantError(t, with(diagonal(0), diagonal(5)), "degree of freedom 1 has no mass; other structures")
	rthstest.WantError(t, with(diagonal(1), diagonal(-5)), "stiffness matrix has a negative eigenvalue: want none")
	rthstest.WantError(t, with(diagonal(-1), diagonal(5)), "mass matrix has a negative eigenvalue")
	rthstest.WantError(t, with(diagonal(1), diagonal(math.Inf(1))),
		"stiffness matrix has an entry +Inf: want finite numbers")
	rthstest.WantError(t, with(diagonal(1), &Table{rows: 3, cols: 3}), "stiffness matrix of 3 × 3: want 100000 × 100000")
}

// Rows beside a sparse file are as many and as long as its.
func TestRaggedRowsBesideASparseFile(t *testing.T) {
	const n = 120
	p := banded(n, 2, Damping{})
	p.Stiffness = Matrix{FromFile: FromFile{File: "k.mtx", read: &Table{rows: n, cols: n, entries: p.Stiffness.entries()}}}
	mustMake(t, p)
	p.Mass.Rows[7] = append(p.Mass.Rows[7], 1)
	_, err := p.Make()
	rthstest.WantError(t, err, "mass matrix: row 8 has 121 entries: want 120")
	p.Mass.Rows[7] = p.Mass.Rows[7][:5]
	_, err = p.Make()
	rthstest.WantError(t, err, "mass matrix: row 8 has 5 entries: want 120")
}

// refusal is a file that is no matrix, and what is said of it in one line.
type refusal struct{ file, text, variable, want string }

func refused(t *testing.T, list []refusal) {
	t.Helper()
	for _, c := range list {
		_, err := from(c.file, c.text, c.variable)
		rthstest.WantError(t, err, c.want)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: want one line", err)
		}
	}
}

func TestFilesRefused(t *testing.T) {
	refused(t, []refusal{
		{"k.xlsx", "", "", `file k.xlsx: extension ".xlsx": want .csv, .txt, .dat, .mtx or .mat`},
		{"k.csv", "", "K", `variable "K": want none, because only .mat files have names for their arrays`},
		{"k.csv", "", "", "k.csv: found no numbers: want a matrix, a row of it in a line"},
		{"k.csv", "# nothing\n\n", "", "k.csv: found no numbers"},
		{"k.csv", "1,2\n3\n", "", "k.csv: line 2: found 1 numbers: want 2, as in the first row"},
		{"k.csv", "1,2\n3,4\n5,6\n", "", "k.csv: found 3 rows and 2 columns: want a square matrix"},
		{"k.csv", "u1,u2\n3,4\n", "",
			`k.csv: line 1: column 1: found "u1": want a finite number; a line of titles begins with #`},
		{"k.csv", "1,2\n3,x\n", "", `k.csv: line 2: column 2: found "x": want a finite number`},
		{"k.csv", "1,,2\n", "", `k.csv: line 1: column 2: found "": want a finite number between two separators`},
		{"k.csv", "1,500;2\n2;4\n", "", // or 1500
			`k.csv: line 1: column 1: found "1,500": want a finite number with a point before the decimals`},
		{"k.csv", "1;2,5\n2.5;4\n", "",
			`k.csv: line 1: column 2: found "2,5": want a finite number with a point before the decimals`},
		{"k.csv", "1,2\n2,nan\n", "", `k.csv: line 2: column 2: found "nan": want a finite number`},
		{"k.csv", "PK\x03\x04", "",
			"k.csv: line 1: found a ZIP file, as an Excel workbook is: want text: save the sheet as CSV"},
		{"k.csv", strings.Repeat("1", 5<<20), "", "k.csv: line 1: longer than 1 MB: want a row of numbers in a line"},
	})
	_, err := readTable(shelf{"g.csv": "1,2\n3,4\n"}, "g.csv", "", true)
	rthstest.WantError(t, err, "g.csv: found 2 rows and 2 columns: want one row or one column")
	p := &Matrices{Mass: Rows([][]float64{{1}}), Stiffness: Matrix{FromFile: FromFile{File: "none.csv"}}}
	var k *KeyError
	if err := p.Read(At{Files: shelf{}}); !errors.As(err, &k) || k.Key != "stiffness" {
		t.Errorf("%v: want an error of the key stiffness", err)
	}
	p.Stiffness.FromFile = FromFile{Variable: "K"}
	rthstest.WantError(t, p.Read(At{}), "stiffness: variable without file: want the path of a .mat file too")
}

func TestMatrixMarketRefused(t *testing.T) {
	const heading = "%%MatrixMarket matrix coordinate real symmetric\n"
	refused(t, []refusal{
		{"k.mtx", "", "", "k.mtx: found no numbers"},
		{"k.mtx", "1 2\n", "",
			`k.mtx: line 1: found "1 2": want the heading of a Matrix Market file, as in %%MatrixMarket matrix coordinate ` +
				`real symmetric`},
		{"k.mtx", "%%MatrixMarket matrix coordinate complex general\n", "",
			`k.mtx: line 1: found a matrix of kind "complex": want real numbers`},
		{"k.mtx", "%%MatrixMarket matrix coordinate pattern general\n", "", `found a matrix of kind "pattern"`},
		{"k.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n", "",
			`k.mtx: line 1: found a matrix that is "skew-symmetric": want general or symmetric`},
		{"k.mtx", "%%MatrixMarket matrix list real general\n", "", `found "list": want coordinate or array`},
		{"k.mtx", heading + "% no sizes\n", "", `k.mtx: line 2: found "": want the numbers of rows, columns and entries`},
		{"k.mtx", heading + "2 2\n", "", `k.mtx: line 2: found "2 2": want the numbers of rows, columns and entries`},
		{"k.mtx", heading + "2 2 -1\n", "", `found "2 2 -1": want the numbers of`},
		{"k.mtx", heading + "0 0 0\n", "", `found "0 0 0": want the numbers of`},
		{"k.mtx", heading + "2 3 1\n", "",
			"k.mtx: line 2: found a symmetric matrix of 2 rows and 3 columns: want as many columns as rows"},
		{"k.mtx", heading + "2 2 5\n", "", "k.mtx: line 2: found 5 entries of 2 rows and 2 columns: want at most 4"},
		{"k.mtx", heading + "2000000 2000000 1\n", "", "found 2000000 rows and 2000000 columns: want at most 1000000"},
		{"k.mtx", "%%MatrixMarket matrix array real general\n100000 100000\n", "",
			"k.mtx: line 2: at most 25000000 numbers are held one by one: want a sparse matrix"},
		{"k.mtx", heading + "2 2 2\n1 1 4\n", "", "k.mtx: the file ends after 1 of 2 entries: want a complete file"},
		{"k.mtx", heading + "2 2 1\n1 1 4\n2 2 4\n", "",
			`k.mtx: line 4: found "2 2 4" after the last of 1 entries: want the number of entries in the line of sizes`},
		{"k.mtx", heading + "2 2 3\n1 1 4\n1 2 -1\n2 2 4\n", "",
			"k.mtx: line 4: entry (1,2) is above the diagonal: of a symmetric matrix the file has the lower triangle alone; " +
				"want the heading general for a file with both"},
		{"k.mtx", heading + "2 2 3\n1 1 4\n1 1 4\n2 2 4\n", "",
			"k.mtx: entry (1,1) is there twice: want it once, with its sum"},
		{"k.mtx", heading + "2 2 1\n3 1 4\n", "",
			"k.mtx: line 3: found row 3, column 1: want whole numbers of 1 to 2 and 1 to 2"},
		{"k.mtx", heading + "2 2 1\n0 1 4\n", "", "found row 0, column 1"},
		{"k.mtx", heading + "2 2 1\n1 1\n", "", "k.mtx: line 3: found 2 words: want row, column and value of an entry"},
		{"k.mtx", heading + "2 2 1\n1 1 4,5\n", "", `k.mtx: line 3: found "4,5": want a finite number`},
		{"k.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\nx\n1\n", "",
			`k.mtx: line 5: found "x": want a finite number`},
	})
}

func TestMATRefused(t *testing.T) {
	square := rthstest.MATArray{Name: "K", Class: 6, Storage: 9, Dims: []int32{2, 2}, Values: []float64{1, 0, 0, 1}}
	other := square
	other.Name = "M"
	complex := square
	complex.Name, complex.Imag = "Z", true
	twice := string(rthstest.MATFile(binary.LittleEndian, false, square, other, complex))
	refused(t, []refusal{
		{"k.mat", "text", "", "k.mat: found 4 bytes, want an HDF5 file, or a MATLAB v5 MAT-file"},
		{"k.mat", twice, "",
			"k.mat: found 2 arrays that could be meant: want the name of one in the key variable; the file holds K (2x2 " +
				"double), M (2x2 double), Z (2x2 double complex)"},
		{"k.mat", twice, "C", `k.mat: no variable "C"; the file holds K (2x2 double), M`},
		{"k.mat", twice, "Z", "k.mat: variable Z (2x2 double complex): want a square matrix of real numbers"},
		{"k.mat", string(rthstest.MATFile(binary.LittleEndian, false, complex)), "",
			"k.mat: want a square matrix of real numbers; the file holds Z (2x2 double complex)"},
	})
}

// No text is read beyond its bounds, and no table has numbers that are not finite.
func FuzzMatrixFile(f *testing.F) {
	a := mat.NewDense(2, 2, []float64{2, -1, -1, 3})
	f.Add(".csv", []byte(rowsText(a, ",")))
	f.Add(".csv", []byte("# K\n1;2\n2;4,5\n"))
	for _, symmetric := range []bool{true, false} {
		f.Add(".mtx", []byte(marketText(a, true, symmetric)))
		f.Add(".mtx", []byte(marketText(a, false, symmetric)))
		f.Add(".mat", []byte(matText(a, symmetric)))
	}
	f.Fuzz(func(t *testing.T, extension string, data []byte) {
		table, err := from("k"+extension, string(data), "")
		if err != nil {
			return
		}
		if table.rows != table.cols || table.rows < 1 {
			t.Fatalf("%d rows and %d columns", table.rows, table.cols)
		}
		for _, e := range table.list() {
			if e.Row < 0 || e.Row >= table.rows || e.Col < 0 || e.Col >= table.cols {
				t.Fatalf("entry %v of %d rows", e, table.rows)
			}
		}
	})
}
