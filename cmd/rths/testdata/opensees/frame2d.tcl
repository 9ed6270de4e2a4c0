# A plane frame of three storeys and two unequal bays (kN, m, t). Floors have horizontal and vertical mass, joints no
# rotational inertia: nine equations without mass.
model Basic -ndm 2 -ndf 3
geomTransf Linear 1
set element 0
foreach floor {0 1 2 3} {
    foreach {axis x} {1 0.0  2 5.0  3 9.0} {
        set node [expr {10*$floor + $axis}]
        node $node $x [expr {3.2*$floor}]
        if {$floor == 0} { fix $node 1 1 1; continue }
        mass $node [expr {4.0 + $axis}] [expr {4.0 + $axis}] 0.0
        element elasticBeamColumn [incr element] [expr {$node - 10}] $node 0.09 3.0e7 6.75e-4 1
    }
    if {$floor > 0} {
        foreach axis {1 2} { element elasticBeamColumn [incr element] [expr {10*$floor + $axis}] [expr {10*$floor + $axis + 1}] 0.12 3.0e7 1.6e-3 1 }
    }
}
