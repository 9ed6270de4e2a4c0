# A space frame of two storeys on a square plan (N, mm, t): its two directions have equal frequencies. All six
# degrees of freedom of a joint have mass.
model Basic -ndm 3 -ndf 6
geomTransf Linear 1 1 0 0
geomTransf Linear 2 0 0 1
set element 0
foreach floor {0 1 2} {
    foreach {axis x y} {1 0 0  2 5000 0  3 5000 5000  4 0 5000} {
        set node [expr {10*$floor + $axis}]
        node $node $x $y [expr {3000*$floor}]
        if {$floor == 0} { fix $node 1 1 1 1 1 1; continue }
        mass $node 6.0 6.0 6.0 2.0e6 2.0e6 2.0e6
        element elasticBeamColumn [incr element] [expr {$node - 10}] $node 9.0e4 3.0e4 1.2e4 1.1e9 6.75e8 6.75e8 1
    }
    if {$floor > 0} {
        foreach {a b} {1 2  2 3  3 4  4 1} { element elasticBeamColumn [incr element] [expr {10*$floor + $a}] [expr {10*$floor + $b}] 1.2e5 3.0e4 1.2e4 1.6e9 9.0e8 1.6e9 2 }
    }
}
