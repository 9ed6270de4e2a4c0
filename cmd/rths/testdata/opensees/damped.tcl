# Three floors on springs (N, m, kg), Rayleigh damping, and a dashpot of 1200 N s/m between floor 1 and the ground if
# DASHPOT is set. With MODAL three modes are damped by 3, 4 and 5 % beside them.
model Basic -ndm 1 -ndf 1
node 100 0.0
fix 100 1
foreach {node mass} {1 1000.0  2 900.0  3 800.0} {
    node $node 0.0 -mass $mass
    uniaxialMaterial Elastic $node [expr {2.0e6 - 2.0e5*$node}]
    element zeroLength $node [expr {$node == 1 ? 100 : $node - 1}] $node -mat $node -dir 1 -doRayleigh 1
}
if {[info exists ::env(DASHPOT)]} {
    uniaxialMaterial Viscous 9 1200.0 1.0
    element zeroLength 9 100 1 -mat 9 -dir 1
}
rayleigh 0.4 0.0 0.002 0.0
if {[info exists ::env(MODAL)]} {
    eigen -fullGenLapack 3
    modalDamping 0.03 0.04 0.05
}
