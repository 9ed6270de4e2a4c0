package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/criteria"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/syntax"
)

// Placed is the block of one of several specimens.
type Placed struct {
	Along    []float64                          `yaml:"along,omitempty" doc:"deformation of the specimen per unit of each interface coordinate, as in [-1, 1] for a specimen between the first and the second; default: the displacement of the actuator of the same number"`
	Specimen syntax.Choice[plant.SpecimenMaker] `yaml:"specimen" doc:"the specimen, of one deformation"`

	Lean   [][]float64 `yaml:"lean,omitempty" doc:"of a specimen that leans, as a column: displacement of its upper end sideways per unit of each coordinate, a list for each direction, as in [[1, 0]]; it shortens by |s|²/2L, and its force pushes sideways (P–Δ). A positive deformation is a shortening, and its kind has no mass"`
	Length float64     `yaml:"length_m,omitempty" doc:"length L of a specimen that leans, m"`
}

// lean is how the specimen leans.
func (p *Placed) lean() plant.Lean { return plant.Lean{Rows: p.Lean, Length: p.Length} }

// Prepare sets the table of the choice.
func (p *Placed) Prepare() { p.Specimen = syntax.NewChoice(plant.Specimens) }

// several is a boundary of several degrees of freedom, each of which is held; the key
// interface lists the degrees of freedom. As many actuators as coordinates hold the
// interface, each with its load cell.
type several struct {
	at      []int              // degrees of freedom, from 0
	coupler plant.CouplerMaker // nil: an actuator at each degree of freedom
	all     int                // coordinates, with those in which a force is kept
	moved   []int              // the coordinates of at
}

func (n *several) size() (coordinates, actuators, loadCells int) {
	return len(n.at), n.all, n.all
}

// checkSeveral refuses keys that the interface has no use for.
func (s *Scenario) checkSeveral(want func(key string, ok bool, format string, args ...any)) {
	n := s.coordinates()
	if len(s.Interface) == 0 {
		want("specimens", len(s.Specimens) == 0,
			"without interface: want interface, the degrees of freedom that the actuators hold, as in interface: [1, 2]")
		_, linear := s.Coupler.Params.(*plant.LinearCoupler)
		_, several := s.Coupler.Params.(*plant.Aggregate)
		want("coupler", !linear && !several, "%s without interface: want interface, the degrees of freedom that the actuators "+
			"hold, as in interface: [1, 2]", s.Coupler.Kind)
		return
	}
	for i, dof := range s.Interface {
		want("interface", dof >= 1, "degree of freedom %d: want 1 or more, counted from 1", dof)
		want("interface", !slices.Contains(s.Interface[:i], dof),
			"degree of freedom %d stands twice: want each degree of freedom once, with one or several specimens at it", dof)
	}
	want("interface_dof", s.Place("interface_dof") == "", "has no effect with interface: leave it out")
	_, each := s.Target.Params.(*ground.TargetMultisine)
	want("target", !s.Target.Given() || each,
		"a prescribed target of kind %s has one actuator: want kind multisine for several, or no interface", s.Target.Kind)
	want("specimens", len(s.Specimens) == 0 || s.Place("specimen") == "", "beside specimen: want one or the other")
	if s.Coupler.Given() {
		coordinates, actuators := s.Coupler.Params.Axes()
		want("coupler", !s.ownNode(),
			"%s couples structure and specimen marths: beside interface want linear or rigid-body, or no coupler for one "+
				"actuator at each degree of freedom", s.Coupler.Kind)
		want("coupler", s.ownNode() || coordinates == n && actuators == n,
			"%d coordinates and %d actuators for the interface of %d degrees of freedom: want as many coordinates and "+
				"actuators as degrees of freedom, or axes for more", coordinates, actuators, n)
	}
	_, body := s.Coupler.Params.(plant.Embodied)
	want("specimens", !body || len(s.Specimens) > 0,
		"missing beside the coupler "+s.Coupler.Kind+": want a list, in which along says how each coordinate deforms a specimen")
	for i, p := range s.Specimens {
		key := fmt.Sprintf("specimens[%d]", i+1)
		want(key, len(p.Along) == n || len(p.Along) == 0,
			"along has %d numbers: want %d, one for each degree of freedom of interface, or of axes", len(p.Along), n)
		want(key, len(p.Along) > 0 || i < n && !body,
			"along is missing: only as many specimens as actuators (%d) have one of their own, and none on a rigid body: want "+
				"the deformation per unit of each interface coordinate", n)
		want(key, len(p.Along) == 0 || slices.ContainsFunc(p.Along, func(v float64) bool { return v != 0 }),
			"along is zero everywhere: nothing deforms the specimen: want at least one other number")
		want(key, len(p.Lean) > 0 || p.Length == 0, "length_m has no effect without lean: leave it out")
		want(key, len(p.Lean) == 0 || !s.OnShakeTable(),
			"lean with interface_motion %s, which has the ground's motion, and nothing leans by this: leave one of them out",
			s.Motion)
		want(key, p.Specimen.Given(), "specimen is missing: want a block with kind, one of %s", p.Specimen.Names())
	}
}

// ownNode reports whether the coupler is of a structure that has an interface of its own.
func (s *Scenario) ownNode() bool {
	_, frame := s.Coupler.Params.(*plant.FrameCoupler)
	return frame
}

// spread gives every actuator its own transfer system and specimen, so that each may be
// drawn at random by itself. The keys of scatter say what is drawn, and name blocks as they
// stand in the file.
func (s *Scenario) spread() {
	n := s.coordinates()
	if n == 0 || len(s.Scatter) > 0 {
		return
	}
	if !s.eachMoves() && !s.movesAll() {
		s.wantEach(n)
		for i := range s.Each {
			s.Each[i].Transfer = s.clone().Transfer
		}
	}
	if len(s.Specimens) == 0 {
		for range n {
			s.Specimens = append(s.Specimens, Placed{Specimen: s.clone().Specimen})
		}
	}
}

// movesAll reports whether the transfer system has all actuators inside.
func (s *Scenario) movesAll() bool {
	t, ok := s.Transfer.Params.(plant.Axial)
	return ok && t.Axes() == s.coordinates()
}

// transferMaker is the transfer system of all actuators together.
func (s *Scenario) transferMaker() plant.TransferMaker {
	n := s.coordinates()
	if n == 0 || !s.eachMoves() && s.movesAll() {
		return s.Transfer.Params
	}
	if !s.eachMoves() {
		return &plant.Actuators{Each: slices.Repeat([]plant.TransferMaker{s.Transfer.Params}, n)}
	}
	all := &plant.Actuators{}
	for _, a := range s.Each {
		all.Each = append(all.Each, a.Transfer.Params)
	}
	return all
}

// Feels reports whether the force of the specimen loads every actuator, or none moves but as a straight line.
func (s *Scenario) Feels() bool {
	t := s.transferMaker()
	if all, ok := t.(*plant.Actuators); ok {
		return plant.Follows(all) || !slices.ContainsFunc(all.Each, func(t plant.TransferMaker) bool { return !plant.Feels(t) })
	}
	return plant.Follows(t) || plant.Feels(t)
}

// specimenMaker is the specimens of all actuators together.
func (s *Scenario) specimenMaker() (plant.SpecimenMaker, error) {
	n := s.coordinates()
	if n == 0 {
		return s.Specimen.Params, nil
	}
	b, g, err := s.deformations()
	if err != nil {
		return nil, err
	}
	all := &plant.Assembled{G: g}
	if body, ok := s.Coupler.Params.(plant.Embodied); ok {
		all.G, all.Body = b, body
	}
	for i := range s.Specimens {
		p := &s.Specimens[i]
		all.Each = append(all.Each, p.Specimen.Params)
		lean, err := s.leanOf(p, all.Body == nil)
		if err != nil {
			return nil, err
		}
		all.Leans = append(all.Leans, lean)
	}
	if len(all.Each) == 0 {
		all.Each = slices.Repeat([]plant.SpecimenMaker{s.Specimen.Params}, n)
	}
	return all, nil
}

// leanOf is how a specimen leans, over the displacements of the actuators or over coordinates.
func (s *Scenario) leanOf(p *Placed, ofActuators bool) (plant.Lean, error) {
	out := p.lean()
	if len(p.Lean) == 0 || !ofActuators {
		return out, nil
	}
	n := s.coordinates()
	for _, row := range p.Lean {
		if len(row) != n {
			return out, nil // its maker refuses it
		}
	}
	t, err := s.lever()
	if err != nil {
		return out, err
	}
	var inv mat.Dense
	if err := inv.Inverse(t); err != nil {
		return out, s.At("coupler", err)
	}
	out.Rows = nil
	for _, row := range p.Lean {
		var moved mat.Dense
		moved.Mul(mat.NewDense(1, n, row), &inv)
		out.Rows = append(out.Rows, mat.Row(nil, 0, &moved))
	}
	return out, nil
}

// deformations are the deformations of all specimens per interface coordinate, B, and per
// displacement of an actuator, G = B T⁻¹; about rest, where the coupler is not linear.
func (s *Scenario) deformations() (b, g *mat.Dense, err error) {
	n, rows := s.coordinates(), len(s.Specimens)
	if rows == 0 {
		rows = n
	}
	t, err := s.lever()
	if err != nil {
		return nil, nil, err
	}
	b, g = mat.NewDense(rows, n, nil), mat.NewDense(rows, n, nil)
	var inv mat.Dense
	if err := inv.Inverse(t); err != nil {
		return nil, nil, s.At("coupler", err)
	}
	for i := range rows {
		if i < len(s.Specimens) && len(s.Specimens[i].Along) > 0 {
			b.SetRow(i, s.Specimens[i].Along)
			g.Slice(i, i+1, 0, n).(*mat.Dense).Mul(b.Slice(i, i+1, 0, n), &inv)
			continue
		}
		b.SetRow(i, t.RawRowView(i))
		g.Set(i, i, 1)
	}
	return b, g, nil
}

// lever is T, the displacements of the actuators per interface coordinate.
func (s *Scenario) lever() (*mat.Dense, error) {
	if s.Coupler.Given() {
		t, err := s.Coupler.Params.Lever()
		return t, s.At("coupler", err)
	}
	n := s.coordinates()
	t := mat.NewDense(n, n, nil)
	for i := range n {
		t.Set(i, i, 1)
	}
	return t, nil
}

// specimenKinds are the kinds of all specimens, for messages.
func (s *Scenario) specimenKinds() string {
	if len(s.Specimens) == 0 {
		return s.Specimen.Kind
	}
	return kindsOf(s.Specimens, func(p Placed) string { return p.Specimen.Kind })
}

// kindsOf are the kinds of a list, for messages; neighbours of one kind are named once.
func kindsOf[E any](list []E, kind func(E) string) string {
	var kinds []string
	for _, e := range list {
		kinds = append(kinds, kind(e))
	}
	return strings.Join(slices.Compact(kinds), ", ")
}

// TransferKind is the kind of the transfer system, or all kinds where each actuator has its
// own.
func (s *Scenario) TransferKind() string {
	if !s.eachMoves() {
		return s.Transfer.Kind
	}
	return kindsOf(s.Each, func(a Actuator) string { return a.Transfer.Kind })
}

// Transfers are the transfer systems of all actuators, or one that has all of them inside.
func (s *Scenario) Transfers() []plant.TransferMaker {
	if all, ok := s.transferMaker().(*plant.Actuators); ok {
		return all.Each
	}
	return []plant.TransferMaker{s.Transfer.Params}
}

// TransferKey is the key that errors of transfer systems belong to.
func (s *Scenario) TransferKey() string {
	if s.ownBlocks("transfer") {
		return "each"
	}
	return "transfer"
}

// specimenKey is the key that errors of specimens belong to.
func (s *Scenario) specimenKey() string {
	if s.Place("specimens") != "" {
		return "specimens"
	}
	return "specimen"
}

func (n *several) couple(s *Scenario) (rths.Coupler, error) {
	if _, ok := s.Transfer.Params.(*plant.MaRTHS); ok {
		return nil, s.At("transfer",
			errors.New("marths has the specimen of kind marths inside: beside interface want transfer systems of one "+
				"actuator, or ss"))
	}
	var inner rths.Coupler
	if n.coupler != nil {
		var err error
		if inner, err = n.coupler.Make(s.RateHz); err != nil {
			return nil, err
		}
	}
	return s.mixed(inner)
}

// along is the deformation of a specimen per degree of freedom of the structure. at are those of
// the interface. kept reports whether coordinates in which a force is kept deform it too.
func (n *several) along(rows *mat.Dense, specimen int, at []int, dofs int) (out []float64, kept bool) {
	out = make([]float64, dofs)
	for j, dof := range at {
		out[dof] = rows.At(specimen, n.moved[j])
	}
	for c, v := range rows.RawRowView(specimen) {
		kept = kept || v != 0 && !slices.Contains(n.moved, c)
	}
	return out, kept
}

func (n *several) divide(b *builder) (*structure.Partition, error) {
	rows, _, err := b.s.deformations()
	if err != nil {
		return nil, err
	}
	if err := b.s.wantHeld(b.original()); err != nil {
		return nil, err
	}
	whole, at := b.run.Whole, b.places(n.at)
	var shares []structure.Share
	for i, spec := range b.spec.(*plant.Assembly).Specimens() {
		m, c, k, within := plant.Within(spec)
		deformed, kept := n.along(rows, i, at, whole.N)
		share := structure.Share{Along: deformed, M: m, C: c, K: k, Beside: !within}
		none := !slices.ContainsFunc(deformed, func(v float64) bool { return v != 0 })
		switch {
		case b.s.Undivided, none: // only forces are kept in it
			continue
		case within && kept:
			return nil, fmt.Errorf("specimen %d, which is taken out of the structure, is deformed by coordinates of both modes: want "+
				"coordinates of one mode, or a kind that stands beside the structure", i+1)
		case within && b.s.OnShakeTable():
			return nil, fmt.Errorf("specimen %d, which is taken out of the structure, with interface_motion %s: want one that "+
				"stands on a table, such as frame or tuned-mass-damper", i+1, b.s.Motion)
		case !within && !b.s.OnShakeTable():
			share.M = spec.Mass()
		}
		if err := b.wantOneYielding(fmt.Sprintf("specimen %d", i+1), spec, share.Along); err != nil {
			return nil, err
		}
		shares = append(shares, share)
	}
	part, err := whole.Between(at, shares)
	if err != nil && b.s.Reduce != nil {
		err = fmt.Errorf("%w (degrees of freedom of the reduced structure: the degrees of freedom of interface come first)",
			err)
	}
	if err == nil && b.s.Motion == freeField {
		return b.freeField(part)
	}
	return part, err
}

func (n *several) inertia(b *builder) (m, c *mat.Dense, err error) {
	m, err = n.summed(b, func(s plant.Specimen) float64 { m, _ := carried(s); return m })
	if err == nil {
		c, err = n.summed(b, func(s plant.Specimen) float64 { _, c := carried(s); return c })
	}
	return m, c, err
}

func (n *several) moves(b *builder, specimen int) bool {
	rows, _, err := b.s.deformations()
	return err == nil && slices.ContainsFunc(n.moved, func(c int) bool { return rows.At(specimen, c) != 0 })
}

func (n *several) stiffness(b *builder) (*mat.Dense, error) { return n.summed(b, initialStiffness) }

// summed is a value of the specimens at the interface coordinates that the numerical part moves.
func (n *several) summed(b *builder, of func(plant.Specimen) float64) (*mat.Dense, error) {
	rows, _, err := b.s.deformations()
	if err != nil {
		return nil, err
	}
	sum := mat.NewDense(len(n.at), len(n.at), nil)
	for i, spec := range b.specimens() {
		v := of(spec)
		for j := range n.at {
			for k := range n.at {
				sum.Set(j, k, sum.At(j, k)+v*rows.At(i, n.moved[j])*rows.At(i, n.moved[k]))
			}
		}
	}
	return sum, nil
}

func (*several) tangent(*builder) (m, c, k float64, err error) {
	return 0, 0, 0, &NoTangent{"it has several actuators",
		"the delay equation is of one actuator: with several, judge by the whole loop below"}
}

func (n *several) forces(_ *builder, bare rths.Rig) (rths.Rig, int, error) {
	return bare, n.all, nil
}

// reference is the undivided structure where all specimens are linear parts of it, else
// numerical part and specimens integrated together.
func (n *several) reference(b *builder) (criteria.Reference, error) {
	specimens := b.spec.(*plant.Assembly).Specimens()
	if !slices.ContainsFunc(specimens, func(s plant.Specimen) bool { _, linear := s.(plant.Linear); return !linear }) {
		return b.together(nil)
	}
	rows, _, err := b.s.deformations()
	if err != nil {
		return nil, err
	}
	var elements []integrate.Element
	for i, spec := range specimens {
		if deformed, _ := n.along(rows, i, b.places(n.at), b.part.N()); slices.ContainsFunc(deformed,
			func(v float64) bool { return v != 0 }) {
			elements = append(elements, integrate.Element{Specimen: spec, Along: deformed, Absolute: b.s.OnShakeTable()})
		}
	}
	return b.together(elements)
}

func (n *several) compare(b *builder) error {
	if none := noReference(b); none != "" {
		b.run.Notes = append(b.run.Notes, none)
		return nil
	}
	dofs := slices.Clone(n.at) // those that are held first
	for dof := range b.original().N {
		if !slices.Contains(n.at, dof) && b.place(dof) >= 0 {
			dofs = append(dofs, dof)
		}
	}
	body, _ := n.coupler.(plant.Embodied)
	for i, dof := range dofs {
		unit := "m"
		switch {
		case n.coupler == nil:
		case body == nil, i >= len(n.at):
			unit = "m or rad" // nobody says which coordinates are rotations
		case body.Rotations()[n.moved[i]]:
			unit = "rad"
		}
		b.judged.Points = append(b.judged.Points, criteria.Point{Name: fmt.Sprintf("x%d", dof+1), DOF: b.place(dof), Sign: 1,
			Unit: unit})
	}
	var err error
	b.judged.Reference, err = n.reference(b)
	return err
}

func (n *several) alone(s *Scenario) func(hz float64) ([]complex128, error) {
	return aloneOf(func() (*structure.Partition, *mat.Dense, error) {
		if s.Mixed() {
			return nil, nil, errors.New("axes with mode force: the numerical part moves not all actuators")
		}
		b := s.builder(Options{})
		if err := b.make(part{"coupler", b.couple}, part{"perturbed", b.perturb},
			part{b.s.specimenKey(), b.specimen}); err != nil {
			return nil, nil, err
		}
		if err := b.make(b.numerical()...); err != nil {
			return nil, nil, err
		}
		lever, err := s.lever()
		return b.part, lever, err
	})
}
