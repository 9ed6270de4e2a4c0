# A cantilever of 80 elements (N, m, kg), 240 equations, whose modes ARPACK finds. Eleven digits of its stiffness
# are too few: its entries differ from their sum by seven powers of ten.
model Basic -ndm 2 -ndf 3
geomTransf Linear 1
node 0 0.0 0.0
fix 0 1 1 1
for {set i 1} {$i <= 80} {incr i} {
    node $i [expr {0.0517*$i}] 0.0
    element elasticBeamColumn $i [expr {$i - 1}] $i 1.0e-2 2.0e11 8.013e-6 1 -mass 78.5
}
