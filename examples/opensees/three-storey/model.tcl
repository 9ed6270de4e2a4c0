# The three-storey frame of the single-actuator benchmark (Silva et al. 2020), partition
# case 1. OpenSees has the frame without the specimen of floor 1:
#
#   M_N = M - m e1 e1'    C_N = C - c e1 e1'    K_N = K - k e1 e1'
#   M_N x'' + C_N x' + K_N x = -M (1 1 1)' a_g - e1 f
#
# f is the measured force. The ground term has the mass M of the whole frame: the specimen
# moves relative to the ground in the laboratory, so OpenSees adds m a_g. SI units: N, m, kg.
# The step is 8 samples of 4096 Hz.
#   rths serves the specimen first, then:   OpenSees three-storey/model.tcl elcentro.csv
#   OpenSees alone:                ALONE=1 OpenSees three-storey/model.tcl elcentro.csv
# The file has a line a sample, "time in s,acceleration in m/s2"; other lines are skipped.
# RECORD names the file too, SCALE its factor (0.4). The analysis lasts as long as the record.
source [file join [file dirname [info script]] .. common.tcl]

set dt [expr {8.0/4096.0/[setting REFINE 1]}]

# Whole frame: mass of each floor, damping and stiffness matrix row by row.
set mass 1000.0
set C {
    14084.275745299876 -7873.031460913151   440.4514988426247
    -7873.031460913151 14943.622937895665 -6348.672096305331
      440.4514988426247 -6348.672096305331  7223.101316804461
}
set K {
     26054883.879603837 -23133938.877108198   5937035.463339146
    -23133938.877108198  32560774.186380334 -14419970.777236981
      5937035.463339146 -14419970.777236981   9267275.506224312
}
# Specimen at floor 1: kg, N s/m, N/m.
set m 29.13
set c 114.22
set k 1.19e6

set path [setting RECORD [lindex $argv 0]]
if {$path eq ""} {
    puts "want the file of a ground motion: OpenSees three-storey/model.tcl elcentro.csv"
    exit 1
}
set times {}
set values {}
set file [open $path]
foreach line [split [read $file] \n] {
    if {[scan [string map {, " "} $line] "%f %f" t a] == 2} {
        lappend times $t
        lappend values $a
    }
}
close $file

model Basic -ndm 1 -ndf 1
node 0 0.0
fix 0 1
node 1 0.0 -mass [expr {$mass - $m}]
node 2 0.0 -mass $mass
node 3 0.0 -mass $mass

# link joins two nodes, or the ground 0 and a node, by a spring and a dashpot.
proc link {tag i j spring dashpot} {
    uniaxialMaterial Elastic $tag $spring $dashpot
    element zeroLength $tag $i $j -mat $tag -dir 1
}

# A symmetric matrix A is a set of springs: -A_ij between i and j, and the sum of row i
# between the ground and i. Some of them are negative.
proc entry {matrix i j} { return [lindex $matrix [expr {3*($i - 1) + $j - 1}]] }
proc row {matrix i} { return [expr {[entry $matrix $i 1] + [entry $matrix $i 2] + [entry $matrix $i 3]}] }
link 11 0 1 [expr {[row $K 1] - $k}] [expr {[row $C 1] - $c}]
link 22 0 2 [row $K 2] [row $C 2]
link 33 0 3 [row $K 3] [row $C 3]
foreach {i j} {1 2  1 3  2 3} {
    link $i$j $i $j [expr {-[entry $K $i $j]}] [expr {-[entry $C $i $j]}]
}

if {[alone]} {
    mass 1 $mass
    link 1 0 1 $k $c
} else {
    specimen 1 1 1
}

timeSeries Path 1 -time $times -values $values -factor [expr {-[setting SCALE 0.4]*$mass}]
pattern Plain 1 1 {
    load 1 1.0
    load 2 1.0
    load 3 1.0
}

record_response {1 2 3} 1 1
method explicit
steps [expr {int([lindex $times end]/$dt)}] $dt
