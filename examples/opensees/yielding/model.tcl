# A two-storey, one-bay frame whose columns yield in the computer. The specimen is an elastic
# brace between the ground and the left end of floor 1. SI units: N, m, kg.
#
#        5 ================== 6
#        |                    |
#        3 ================== 4     --> degree of freedom 1
#        | \                  |
#        |   \ specimen       |
#        1                    2
#
# Columns: Steel02, 2 MN/m below and 1.5 MN/m above, 3 % of it after yielding at 10 mm.
# Floors: 20 t and 16 t. The brace has 0.8 MN/m. Frequencies near 1.56 and 3.6 Hz.
# All four integrators: INTEGRATOR=explicit, alphaos, newton (default) or hht-hs.
#   rths serves the brace first, then:   OpenSees yielding/model.tcl
#   OpenSees alone:             ALONE=1 OpenSees yielding/model.tcl
source [file join [file dirname [info script]] .. common.tcl]

set brace 0.8e6
set dt 0.01

model Basic -ndm 2 -ndf 2
node 1 0.0 0.0
node 2 5.0 0.0
node 3 0.0 3.0 -mass 10.0e3 10.0e3
node 4 5.0 3.0 -mass 10.0e3 10.0e3
node 5 0.0 6.0 -mass 8.0e3 8.0e3
node 6 5.0 6.0 -mass 8.0e3 8.0e3
fix 1 1 1
fix 2 1 1
foreach node {3 4 5 6} { fix $node 0 1 }

# Columns: springs across their length (direction 2). Beams: EA/L = 20 MN/m.
uniaxialMaterial Steel02 1 20.0e3 2.0e6 0.03 18.5 0.925 0.15
uniaxialMaterial Steel02 2 15.0e3 1.5e6 0.03 18.5 0.925 0.15
uniaxialMaterial Elastic 3 [expr {20.0e6*5.0}]
element twoNodeLink 11 1 3 -mat 1 -dir 2
element twoNodeLink 12 2 4 -mat 1 -dir 2
element twoNodeLink 21 3 5 -mat 2 -dir 2
element twoNodeLink 22 4 6 -mat 2 -dir 2
element truss 31 3 4 1.0 3
element truss 32 5 6 1.0 3

if {[alone]} {
    node 7 0.0 3.0
    fix 7 1 1
    uniaxialMaterial Elastic 4 $brace
    element zeroLength 1 7 3 -mat 4 -dir 1
} else {
    specimen 1 3 1
}

# Damping proportional to the mass: 2 % at 1.56 Hz.
rayleigh [expr {2.0*0.02*2.0*acos(-1.0)*1.56}] 0.0 0.0 0.0

timeSeries Path 1 -dt $dt -values [quake 3.0 20.0 $dt]
pattern UniformExcitation 1 1 -accel 1

record_response {3 4 5 6} 1 1
recorder Element -file [setting OUT .]/columns.out -precision 17 -time -ele 11 21 basicDeformation
recorder Element -file [setting OUT .]/shear.out -precision 17 -time -ele 11 21 basicForce
method newton
steps 2000 $dt
