package study

import (
	"encoding/json"
	"fmt"
)

// PSO is the particle swarm of paper 001, section 7.2.3, with what the AMB code adds:
//
//   - Initial positions are uniform in the cube, initial velocities uniform in ±Velocity. The AMB code
//     draws ±0.5 decades of ranges of 8 decades.
//   - r1 and r2 of eq. 7.10 are drawn anew for every particle and every component. The paper prints
//     one index, h; the AMB code and the original (Kennedy and Eberhart 1995) draw components.
//   - A position beyond a bound is put on the bound. Velocities are not bounded: a particle that ran into
//     a bound still has the velocity that brought it there.
//   - A generation is told as a whole before any particle moves: all particles of it see the same g.
//
// An iteration is one move of the swarm by eqs 7.10 and 7.11. The initial positions are evaluated as well
// and are not an iteration: the search has Iterations + 1 generations, and makes
// Particles × (Iterations + 1) evaluations, as the AMB code.
//
// The swarm contracts in about as many iterations as the paper gives it. It finds the region of an
// optimum in few evaluations, and not its last digits.
type PSO struct {
	Particles  int     `yaml:"particles" doc:"number of particles I, 1 or more"`
	Iterations int     `yaml:"iterations" doc:"moves H of the swarm, 1 or more; with the initial positions there are H + 1 generations"`
	Inertia    float64 `yaml:"inertia" doc:"weight ω of a particle's velocity, 0 to 1"`
	C1         float64 `yaml:"c1" doc:"weight of the way to the best position of the particle, 0 to 4"`
	C2         float64 `yaml:"c2" doc:"weight of the way to the best position of the swarm, 0 to 4"`
	Velocity   float64 `yaml:"velocity" doc:"initial velocities are uniform in ± this share of the range, 0 to 1"`
}

// newPSO has the settings of paper 001; velocity is that of the AMB code, 0.5 of 8 decades.
func newPSO() *PSO {
	return &PSO{Particles: 15, Iterations: 10, Inertia: 0.5, C1: 0.5, C2: 0.5, Velocity: 0.0625}
}

func (p *PSO) check(k int) error {
	if err := checkSizes(k, "particles", p.Particles, 1, "iterations", p.Iterations); err != nil {
		return err
	}
	for _, r := range []struct {
		name  string
		x, to float64
	}{{"inertia", p.Inertia, 1}, {"c1", p.C1, 4}, {"c2", p.C2, 4}, {"velocity", p.Velocity, 1}} {
		if err := checkRange(r.name, r.x, 0, r.to); err != nil {
			return err
		}
	}
	return nil
}

// swarm has the state of the search, with the symbols of the paper.
type swarm struct {
	random generator
	swarmState
}

type swarmState struct {
	Parameters PSO         `json:"parameters"`
	H          int         `json:"h"`          // generations told
	P          [][]float64 `json:"p"`          // positions, one particle a row
	V          [][]float64 `json:"v"`          // velocities
	PM         [][]float64 `json:"pm"`         // best position of each particle; until H is 1, its only one
	PMFitness  []Fitness   `json:"pm_fitness"` // fitness at PM
	G          found       `json:"g"`          // best position of the swarm
	Random     []byte      `json:"random"`     // state of the generator, in a checkpoint
}

// Make draws the initial positions and velocities: for each particle component by component, the
// position and then the velocity.
func (p *PSO) Make(k int, seed uint64) (Search, error) {
	if err := p.check(k); err != nil {
		return nil, err
	}
	s := &swarm{newGenerator(seed), swarmState{Parameters: *p, PMFitness: make([]Fitness, p.Particles)}}
	for range p.Particles {
		x, v := make([]float64, k), make([]float64, k)
		for j := range x {
			x[j] = s.random.Float64()
			v[j] = p.Velocity * (2*s.random.Float64() - 1)
		}
		s.P, s.V = append(s.P, x), append(s.V, v)
	}
	s.PM = clones(s.P)
	return s, nil
}

// Ask returns the positions of the particles.
func (s *swarm) Ask() [][]float64 {
	if s.Done() {
		return nil
	}
	return clones(s.P)
}

// Tell notes the best positions and moves the swarm.
func (s *swarm) Tell(f []Fitness) {
	mustHaveAll(f, len(s.Ask()))
	for i, p := range s.P {
		if s.H == 0 || f[i].Less(s.PMFitness[i]) {
			copy(s.PM[i], p)
			s.PMFitness[i] = f[i]
		}
		s.G.tell(p, f[i])
	}
	s.H++
	if !s.Done() {
		s.move()
	}
}

// move is one iteration. It draws for each particle component by component, r1 and then r2.
func (s *swarm) move() {
	omega, c1, c2, g := s.Parameters.Inertia, s.Parameters.C1, s.Parameters.C2, s.G.X
	for i, p := range s.P {
		v, pm := s.V[i], s.PM[i]
		for j := range p {
			r1, r2 := s.random.Float64(), s.random.Float64()
			v[j] = omega*v[j] + r1*c1*(pm[j]-p[j]) + r2*c2*(g[j]-p[j]) // eq. 7.10
			p[j] = min(max(p[j]+v[j], 0), 1)                           // eq. 7.11, on the bound if beyond
		}
	}
}

// Generation is the number of generations told.
func (s *swarm) Generation() int { return s.H }

// Best is the best position of the swarm, g.
func (s *swarm) Best() ([]float64, Fitness, bool) { return s.G.best() }

// Done holds when the last positions were told.
func (s *swarm) Done() bool { return s.H > s.Parameters.Iterations }

// Reason is that all iterations were made: a swarm has no other stop.
func (s *swarm) Reason() string {
	if !s.Done() {
		return ""
	}
	return fmt.Sprintf("all %d iterations were made", s.Parameters.Iterations)
}

// MarshalJSON is the checkpoint.
func (s *swarm) MarshalJSON() ([]byte, error) {
	state := s.swarmState
	state.Random = s.random.state()
	return json.Marshal(state)
}

// UnmarshalJSON goes on from a checkpoint.
func (s *swarm) UnmarshalJSON(data []byte) error {
	var in swarmState
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("checkpoint of pso: %w", err)
	}
	random, err := in.check(s)
	if err != nil {
		return fmt.Errorf("checkpoint of pso: %w", err)
	}
	s.random, s.swarmState = random, in
	return nil
}

// check compares a state with the search that is to go on from it.
func (in *swarmState) check(s *swarm) (generator, error) {
	none := generator{}
	if err := fits(in.Parameters, s.Parameters); err != nil {
		return none, err
	}
	n, k := s.Parameters.Particles, len(s.P[0])
	if in.H < 0 || in.H > s.Parameters.Iterations+1 {
		return none, fmt.Errorf("%d generations told: want 0 to %d", in.H, s.Parameters.Iterations+1)
	}
	if len(in.PMFitness) != n {
		return none, fmt.Errorf("%d fitnesses: want %d", len(in.PMFitness), n)
	}
	for _, part := range []struct {
		name string
		rows [][]float64
		ok   func(float64) bool
	}{{"positions", in.P, inCube}, {"velocities", in.V, tame}, {"best positions", in.PM, inCube}} {
		if err := checkRows(part.name, part.rows, n, k, part.ok); err != nil {
			return none, err
		}
	}
	if err := in.G.check(k, in.H); err != nil {
		return none, err
	}
	return resumed(in.Random)
}
