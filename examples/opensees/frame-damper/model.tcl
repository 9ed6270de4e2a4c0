# The one-bay frame of OpenFresco's first example with a damper as specimen between the
# ground and the left end of the storey. SI units: N, m, kg.
#
#        3 ======= beam ======= 4      --> degree of freedom 1
#        |  \ specimen          |
#        |   (damper)           |
#        1                      2
#
# The example is in kip and inch. Its values, rounded, in SI units:
#   mass at 3 and 4     0.04, 0.02 kip s2/in   7000, 3500 kg
#   left, right column  2.8, 5.6 kip/in        490, 980 kN/m
#   beam, EA/L          2.0 kip/in             350 kN/m
# The mass-proportional damping is the example's: 1.01 1/s. Frequencies 1.58 and 2.95 Hz.
#   rths serves the damper first, then:   OpenSees frame-damper/model.tcl
#   OpenSees alone:              ALONE=1 OpenSees frame-damper/model.tcl
#
# OpenSees alone has the constant of the damper in its equations. In a hybrid test it has
# the measured force only, which belongs to the velocity of the predictor: the two answers
# differ a little, the less the smaller dt is.
source [file join [file dirname [info script]] .. common.tcl]

set damper 20.0e3 ;# N s/m
set dt [setting DT 0.01]

model Basic -ndm 2 -ndf 2
node 1 0.0 0.0
node 2 2.5 0.0
node 3 0.0 1.4 -mass 7000.0 7000.0
node 4 2.5 1.4 -mass 3500.0 3500.0
fix 1 1 1
fix 2 1 1
fix 3 0 1
fix 4 0 1

# Columns: springs across their length (direction 2). Beam: EA/L = E A / 2.5 m.
uniaxialMaterial Elastic 1 490.0e3
uniaxialMaterial Elastic 2 980.0e3
uniaxialMaterial Elastic 3 [expr {350.0e3*2.5}]
element twoNodeLink 2 1 3 -mat 1 -dir 2
element twoNodeLink 3 2 4 -mat 2 -dir 2
element truss 4 3 4 1.0 3

if {[alone]} {
    node 5 0.0 1.4
    fix 5 1 1
    uniaxialMaterial Viscous 5 $damper 1.0
    element zeroLength 1 5 3 -mat 5 -dir 1
} else {
    specimen 1 3 1
}

rayleigh 1.01 0.0 0.0 0.0

timeSeries Path 1 -dt $dt -values [quake 2.5 20.0 $dt]
pattern UniformExcitation 1 1 -accel 1

record_response {3 4} 1 1
method alphaos
steps 2000 $dt
