package plant

// Spooled is a plant with a servo-valve whose spool can be looked at.
type Spooled interface{ Spool() float64 } // full strokes

func (p *hydraulic) Spool() float64 { return p.y[spool] }
