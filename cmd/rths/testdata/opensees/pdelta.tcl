# A cantilever column of twelve displacement-based fibre elements that carries 40 % of its buckling load (kip, in): the tangent
# after gravity is softer than at rest. GRAVITY=0 leaves the load away.
model Basic -ndm 2 -ndf 3
geomTransf PDelta 1
uniaxialMaterial Steel01 1 36.0 29000.0 0.02
section Fiber 1 { patch rect 1 16 1 -3.0 -3.0 3.0 3.0 }
beamIntegration Lobatto 1 1 4
node 0 0.0 0.0
fix 0 1 1 1
for {set i 1} {$i <= 12} {incr i} {
    node $i 0.0 [expr {20.0*$i}] -mass 0.02 0.02 0.0
    element dispBeamColumn $i [expr {$i - 1}] $i 1 1
}
timeSeries Linear 1
pattern Plain 1 1 { load 12 0.5 [expr {-0.4*134.0}] 0.0 }
constraints Transformation
numberer Plain
system BandGeneral
test NormDispIncr 1e-12 50
algorithm Newton
integrator LoadControl 0.1
analysis Static
if {![info exists ::env(GRAVITY)]} {
    if {[analyze 10] != 0} { error "gravity has failed" }
    loadConst -time 3.0
}
