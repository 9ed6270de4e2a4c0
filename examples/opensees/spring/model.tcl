# A spring in five minutes: one mass that hangs on the specimen alone. SI units: N, m, kg.
#
#      ground --- specimen --- [ mass ]  --> degree of freedom 1, relative to the ground
#
# Mass 1000 kg, specimen 40 kN/m: 1.007 Hz. The mass has 2 % of damping.
#   First rths run spring/test.yaml, then:  OpenSees spring/model.tcl
#   OpenSees alone:                 ALONE=1 OpenSees spring/model.tcl
source [file join [file dirname [info script]] .. common.tcl]

set mass 1000.0
set stiffness 40.0e3
set dt [setting DT 0.01]

model Basic -ndm 1 -ndf 1
node 1 0.0
node 2 0.0 -mass $mass
fix 1 1

if {[alone]} {
    uniaxialMaterial Elastic 1 $stiffness
    element zeroLength 1 1 2 -mat 1 -dir 1
} else {
    specimen 1 2 1
}

# Damping proportional to the mass: c = alphaM m, ratio = alphaM/(2 omega).
rayleigh [expr {2.0*0.02*sqrt($stiffness/$mass)}] 0.0 0.0 0.0

timeSeries Path 1 -dt $dt -values [quake 1.5 20.0 $dt]
pattern UniformExcitation 1 1 -accel 1

record_response 2 1 1
method explicit
steps 2000 $dt
