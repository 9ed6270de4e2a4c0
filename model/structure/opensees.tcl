# rths_export writes the matrices, the modes and the nodes of an OpenSees model to a file, from
# which "rths import-opensees FILE" makes a structure. At the end of a model:
#
#   source rths.tcl
#   rths_export model.dump 12
#
# 12 is the number of modes for the comparison. The tangents are those of the present state, as after
# gravity. The command takes no step: time, displacements, loads and recorders stay as they are.
# It ends with wipeAnalysis: give the commands of your own analysis (constraints, numberer, system,
# integrator, analysis ...) again behind it. Node eigenvectors are those of this command. Wants OpenSees 3.8.0.
#
# What the file holds is described in model/structure/opensees.go of the sources of rths.

proc rths_export {path {modes 12}} {
    set precision $::tcl_precision
    set ::tcl_precision 17
    set failed [catch {::rths::export $path $modes} why]
    set ::tcl_precision $precision
    catch {wipeAnalysis}
    catch {file delete $path.part $path.print $path.json}
    if {$failed} { error "rths_export: $why" }
}

namespace eval ::rths {
    # Up to so many equations LAPACK may find the modes, where ARPACK cannot: it takes long for more.
    variable lapack 300

    proc export {path modes} {
        if {![string is integer -strict $modes] || $modes < 1} {
            error "modes $modes: want a whole number of modes, 1 or more, as in rths_export model.dump 12"
        }
        set nodes [getNodeTags]
        if {[llength $nodes] == 0} { error "the model has no node: want rths_export at the end of the model" }
        look_at_elements
        look_at_nodes
        look_at_patterns $path.print
        set text [described $path.json]
        look_at_dampers $text
        set size [equations $nodes]
        set lost [at_supports [matrix 1 0 0 $size {Penalty 1e12 1e12}]]
        set stiffness [matrix 0 0 1 $size]
        set damping [matrix 0 1 0 $size]
        set mass [matrix 1 0 0 $size] ;# the last one: the equations stay until the modes are found
        set values [find $modes $mass $size]
        look_at_dashpots [dashpots $text] $damping
        set answer [expr {[dict size [rates $text]] == 0 ? [answer $values $size] : {}}]

        set file [open $path.part w]
        puts $file "rths-opensees 1"
        puts $file "version [version]"
        puts $file "time [string trim [getTime]]"
        puts $file "dimensions [string trim [getNDM]]"
        puts $file "nodes [llength $nodes]"
        foreach node $nodes {
            puts $file [join [list $node {*}[nodeCoord $node] {*}[nodeDOFs $node]]]
        }
        foreach {name entries} [list mass $mass damping $damping stiffness $stiffness] {
            puts $file "$name [expr {[llength $entries]/3}]"
            foreach {row column value} $entries { puts $file "$row $column $value" }
        }
        puts $file "modes [llength $values]"
        set mode 0
        foreach value $values {
            incr mode
            puts $file "mode $mode $value"
            foreach node $nodes { puts $file [join [list $node {*}[nodeEigenvector $node $mode]]] }
        }
        puts $file "answer [llength $answer]"
        foreach force $answer { puts $file $force }
        puts $file "end"
        close $file
        file rename -force $path.part $path
        puts "rths_export: $path: [llength $nodes] nodes, $size equations, [llength $values] modes"
        if {$lost > 1e-6} {
            puts [format "rths_export: %.3g %% of the load of a ground motion is missing in the matrices: the consistent mass of elements at supports couples free nodes with the ground. Want lumped mass (no -cMass) in the elements at supports, or smaller elements there" [expr {100*$lost}]]
        }
        if {[llength $values] < $modes} {
            puts "rths_export: $modes modes were asked for: OpenSees' solvers find [llength $values] in this model, whose mass is at [masses $mass] equations"
        }
    }

    # look_at_elements refuses elements whose equations rths cannot have.
    proc look_at_elements {} {
        foreach element [getEleTags] {
            set type [eleType $element]
            if {[string match -nocase *genericClient* $type]} {
                error "element $element is a genericClient: its stiffness is a laboratory's, and asking for matrices would move the specimen. Want the model without this element: rths puts the specimen there"
            }
            if {[string match *UP $type]} {
                error "element $element is a $type, whose nodes have pore pressures: rths takes displacements and rotations alone. Want elements without pore pressure"
            }
            if {[llength [eleResponse $element globalDampingForces]] + [llength [eleResponse $element dampingStresses]] > 0} {
                error "element $element has damping of its own (-damp), which is in no matrix of OpenSees. Want the element without -damp, and rayleigh or modalDamping in its place, or OpenSees as integrator (structure external)"
            }
        }
    }

    # look_at_nodes refuses nodes that follow others.
    proc look_at_nodes {} {
        set pairs {}
        foreach node [getConstrainedNodes] {
            foreach other [getRetainedNodes $node] { lappend pairs "node $node follows node $other (degrees of freedom [string trim [getConstrainedDOFs $node $other]])" }
        }
        if {[llength $pairs] == 0} { return }
        set more ""
        if {[llength $pairs] > 5} { set more ", and [expr {[llength $pairs] - 5}] more" }
        error "[join [lrange $pairs 0 4] {, }]$more: a degree of freedom that follows another (equalDOF, rigidLink, rigidDiaphragm) has no equation of its own, so that its displacement would not be in the matrices. Want stiff elements in place of the constraint, or one node in place of the two"
    }

    # look_at_patterns refuses supports that a load pattern moves: the model's own print tells them
    # from fixed ones.
    proc look_at_patterns {path} {
        print -file $path
        set file [open $path]
        set text [read $file]
        close $file
        if {[regexp {EQ_Constraints: numConstraints: ([0-9]+)} $text -> count] && $count > 0} {
            error "the model has $count equation constraints: the constrained degrees of freedom have no equation of their own, so that their displacements would not be in the matrices. Want stiff elements in place of the constraints"
        }
        set at [string first "LOAD PATTERNS:" $text]
        if {$at >= 0 && [regexp -start $at {(SP_Constraint|ImposedMotionSP): [0-9]+\s+Node: ([0-9]+)} $text -> kind node]} {
            error "a load pattern holds or moves node $node (sp or imposedMotion): in the matrices the node would stand still. Want \"remove loadPattern\" and \"fix\" before rths_export: rths moves all supports together, by its ground motion"
        }
    }

    # described is the model's own description. OpenSees writes some materials into it in words of their own.
    proc described {path} {
        print -JSON -file $path
        set file [open $path]
        set text [read $file]
        close $file
        return $text
    }

    # materials are the materials of an element, by its line of the description.
    proc materials {line} {
        if {![regexp {"materials?": (\[[^\]]*\]|"[^"]*")} $line -> tags]} { return {} }
        return [string map {\[ {} \] {} \" {} , { }} $tags]
    }

    # look_at_dampers refuses dampers whose force is no multiple of the velocity: what OpenSees has in its damping matrix for
    # them is zero, or the slope at a velocity of zero.
    proc look_at_dampers {text} {
        set kinds [dict create]
        foreach {all kind tag} [regexp -all -inline {(ViscousDamper|BilinearOilDamper|Maxwell) tag: (\d+)} $text] { dict set kinds $tag $kind }
        foreach {all tag c exponent} [regexp -all -inline {\mViscous tag: (\d+)\s+C: (\S+)\s+Alpha: (\S+)} $text] {
            if {$exponent != 1} { dict set kinds $tag "Viscous with exponent $exponent" }
        }
        foreach line [split $text \n] {
            if {![regexp {"name": (\d+), "type": "[^"]*", "nodes"} $line -> element]} { continue }
            foreach tag [materials $line] {
                if {[dict exists $kinds $tag]} {
                    error "element $element has the material $tag, a [dict get $kinds $tag]: its force is no multiple of its velocity, so that no damping matrix has it. Want a Viscous material with exponent 1, or the damper as specimen, or OpenSees as integrator (structure external)"
                }
            }
        }
    }

    # rates are the materials that resist a velocity, and their constants.
    proc rates {text} {
        set rates [dict create]
        foreach {all tag eta} [regexp -all -inline {"name": "(\d+)"[^\n\}]*"eta": ([^,\}\s]+)} $text] { dict set rates $tag $eta }
        foreach {all tag c} [regexp -all -inline {\mViscous tag: (\d+)\s+C: (\S+)} $text] { dict set rates $tag $c }
        return [dict filter $rates script {tag rate} { expr {$rate != 0} }]
    }

    # dashpots are those of zeroLength elements: element, node, degree of freedom of the node (from 1), and what it has
    # on the diagonal of the damping matrix.
    proc dashpots {text} {
        set rates [rates $text]
        set found {}
        foreach line [split $text \n] {
            if {![regexp {"name": (\d+), "type": "ZeroLength", "nodes": \[(\d+), (\d+)\].*"dof": \[([^\]]*)\], "transMatrix": \[(.*)\]\}} $line -> element one two directions axes]} { continue }
            set axes [string map {\[ \{ \] \} , { }} $axes]
            foreach tag [materials $line] direction [string map {\" {} , { }} $directions] {
                if {![dict exists $rates $tag]} { continue }
                set at [lsearch {P Vy Vz T My Mz} $direction]
                set first [expr {$at < 3 ? 1 : [getNDM] + 1}]
                set axis [lindex $axes [expr {$at % 3}]]
                if {$at >= 3 && [getNDM] == 2} { set axis [lrange $axis 2 2] }
                foreach node [list $one $two] {
                    set dof $first
                    foreach cosine [expr {$at < 3 ? [lrange $axis 0 [getNDM]-1] : $axis}] {
                        lappend found $element $node $dof [expr {[dict get $rates $tag]*$cosine*$cosine}]
                        incr dof
                    }
                }
            }
        }
        return $found
    }

    # look_at_dashpots refuses a damping matrix that lacks dashpots: OpenSees leaves those of a zeroLength with
    # -doRayleigh 1 out of the matrix, and not out of the forces. The description has six digits.
    proc look_at_dashpots {dashpots damping} {
        set has [dict create]
        foreach {row column value} $damping { if {$row == $column} { dict set has $row $value } }
        set elements {}
        foreach {element node dof value} $dashpots {
            if {$element ni $elements} { lappend elements $element }
            set row [lindex [nodeDOFs $node] $dof-1]
            if {$row eq "" || $row < 0} { continue }
            incr row
            set last($row) $element
            set wanted($row) [expr {$value + ([info exists wanted($row)] ? $wanted($row) : 0.0)}]
            set size($row) [expr {abs($value) + ([info exists size($row)] ? $size($row) : 0.0)}]
        }
        foreach row [array names wanted] {
            if {$wanted($row) - 0.001*$size($row) > ([dict exists $has $row] ? [dict get $has $row] : 0.0)} {
                error "element $last($row) is a zeroLength whose dashpot is not in the damping matrix of OpenSees: with -doRayleigh 1 OpenSees leaves it out. Want the dashpot in a zeroLength of its own, without -doRayleigh"
            }
        }
        if {[llength $elements] > 0} {
            puts "rths_export: zeroLength with dashpots ([join [lrange $elements 0 9] {, }]): where one has -doRayleigh 1 too, OpenSees leaves its dashpot out of the matrix, and Rayleigh damping may hide that: give dashpots a zeroLength of their own, without -doRayleigh"
        }
    }

    # answer is the damping force of each equation while the nodes move with the sum of all modes, each over its frequency:
    # half of what two opposite motions differ by. They are a million times as fast, so that OpenSees' eleven digits hold the
    # damping beside a static force. Modal damping acts here, and is in no matrix. No step is taken, and the
    # velocities are put back. Dashpots of materials answer in a step only: a model with them is not asked.
    proc answer {values size} {
        set nodes [getNodeTags]
        foreach node $nodes {
            set before($node) [nodeVel $node]
            set moves($node) [lrepeat [llength $before($node)] 0.0]
            set mode 0
            foreach value $values {
                incr mode
                if {$value <= 0} { continue }
                set sum {}
                foreach v $moves($node) shape [nodeEigenvector $node $mode] { lappend sum [expr {$v + $shape/sqrt($value)}] }
                set moves($node) $sum
            }
        }
        foreach by {1e6 -1e6} {
            foreach node $nodes { set_velocity $node $moves($node) $by }
            set force($by) [unbalance [llength $values] $size]
        }
        foreach node $nodes { set_velocity $node $before($node) 1 }
        set answer {}
        foreach a $force(1e6) b $force(-1e6) { lappend answer [expr {($b - $a)/2e6}] }
        return $answer
    }

    proc set_velocity {node velocity by} {
        set fixed [getFixedDOFs $node]
        set dof 0
        foreach v $velocity {
            if {[incr dof] ni $fixed} { setNodeVel $node $dof [expr {$by*$v}] -commit }
        }
    }

    # unbalance is the force of each equation at the present displacements and velocities.
    proc unbalance {modes size} {
        variable lapack
        wipeAnalysis
        constraints Plain
        numberer RCM
        system UmfPack
        algorithm Linear
        integrator Newmark 0.5 0.25
        analysis Transient
        # eigen hands the velocities to the integrator, and modal damping wants as many modes as before.
        if {$size <= $lapack} { eigen -fullGenLapack $modes } else { eigen $modes }
        return [printB -ret]
    }

    # equations counts degrees of freedom that are not fixed.
    proc equations {nodes} {
        set size 0
        foreach node $nodes { incr size [expr {[string trim [getNDF $node]] - [llength [getFixedDOFs $node]]}] }
        if {$size < 1} { error "every degree of freedom of the model is fixed: want some that move" }
        return $size
    }

    # matrix is m M + c C + k K at the present state: row, column (from 1), value of each entry that is not zero. printA
    # gives 17 digits with -sparse, and 11 without.
    proc matrix {m c k size {handler Plain}} {
        variable lapack
        wipeAnalysis
        constraints {*}$handler
        numberer RCM
        system UmfPack
        algorithm Linear
        integrator GimmeMCK $m $c $k
        analysis Transient
        # eigen makes the equations; analyze would make them too, but it takes a step and writes a line to
        # every recorder. LAPACK's is for few equations, where ARPACK complains; it crashes without mass.
        if {$size <= $lapack && [weighs]} { eigen -fullGenLapack 1 } else { eigen 1 }
        set all [printA -sparse 1 -ret]
        if {[catch {set values [dict get $all values]}]} {
            error "printA -sparse gives no list of entries here: want OpenSees 3.8.0 or later, this is [version]"
        }
        set entries {}
        foreach row [dict get $all rowIndices] column [dict get $all colIndices] value $values {
            if {$value != 0} { lappend entries $row $column $value }
        }
        return $entries
    }

    # at_supports is the largest share of a ground motion's load, over its directions, that the mass between supports and
    # free nodes makes; mass is by the equations of all degrees of freedom, those of supports too.
    proc at_supports {mass} {
        foreach node [getNodeTags] {
            set fixed [getFixedDOFs $node]
            set dof 0
            foreach row [nodeDOFs $node] {
                set direction([incr row]) [incr dof]
                set held($row) [expr {$dof in $fixed}]
            }
        }
        for {set d 1} {$d <= [getNDM]} {incr d} { set free($d) 0.0; set coupled($d) 0.0 }
        foreach {row column value} $mass {
            set d $direction($row)
            if {$held($row) || $d > [getNDM] || $direction($column) != $d} { continue }
            if {$held($column)} { set coupled($d) [expr {$coupled($d) + $value}] } else { set free($d) [expr {$free($d) + $value}] }
        }
        set most 0.0
        foreach d [array names free] {
            if {$free($d) > 0} { set most [expr {max($most, $coupled($d)/($free($d) + $coupled($d)))}] }
        }
        return $most
    }

    # weighs is 1 if a node has a mass that may move.
    proc weighs {} {
        foreach node [getNodeTags] {
            set fixed [getFixedDOFs $node]
            set dof 0
            foreach mass [nodeMass $node] {
                if {[incr dof] ni $fixed && $mass > 0} { return 1 }
            }
        }
        return 0
    }

    # masses counts the equations with mass. There are as many modes.
    proc masses {mass} {
        set rows [dict create]
        foreach {row column value} $mass { dict set rows $row 1 }
        return [dict size $rows]
    }

    # find finds at most so many modes. ARPACK wants as much mass as for twice the modes, or for eight more. LAPACK takes all
    # modes, but it is less exact where frequencies are equal.
    proc find {modes mass size} {
        variable lapack
        set most [masses $mass]
        if {$most == 0} { error "the model has no mass: want mass, or elements with density" }
        set modes [expr {min($modes, $most)}]
        if {min(2*$modes, $modes + 8) <= $most - 1} {
            set values [eigen $modes]
        } elseif {$size <= $lapack} {
            set values [eigen -fullGenLapack $modes]
        } else {
            set values [eigen [expr {max(1, $most > 17 ? $most - 9 : ($most - 1)/2)}]]
        }
        if {[llength $values] == 0} {
            error "OpenSees' own eigen finds no mode: does an element hold every node that is not fixed?"
        }
        return $values
    }
}
