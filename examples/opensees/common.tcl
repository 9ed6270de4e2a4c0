# What the four models share: the environment, the integrators, an earthquake from a
# formula, the specimen, the recorders and the loop over the steps. SI units: N, m, kg, s.
#
#   RTHS_PORT    TCP port of the run of rths (8090)
#   ALONE        if set, OpenSees computes the specimen too: the answer to compare with
#   INTEGRATOR   explicit, alphaos, newton or hht-hs, in place of the model's own
#   DT, STEPS    step (s) and number of steps, in place of the model's own
#   THINK_MS     pause in every step whose number THINK_EVERY divides: a slow computer
#   OUT          folder for disp.out and force.out (.)
#   RUN          folder of the run of rths: the analysis ends when the file RUN/stop is there

# setting is the value of an environment variable, or the value otherwise.
proc setting {name otherwise} {
    if {[info exists ::env($name)] && $::env($name) ne ""} { return $::env($name) }
    return $otherwise
}

# alone is 1 if OpenSees computes the specimen too.
proc alone {} { return [info exists ::env(ALONE)] }

# specimen puts the real specimen between the ground and degree of freedom dof of a node.
# -noRayleigh: the measured force has the damping of the specimen already. Without this
# word OpenSees adds Rayleigh damping to the element.
proc specimen {tag node dof} {
    element genericClient $tag -node $node -dof $dof -server [setting RTHS_PORT 8090] 127.0.0.1 -noRayleigh
}

# method sets the integrator. The element cannot take a step back, so no method here
# repeats a step: FixedNumIter always makes the same number of iterations.
proc method {name} {
    set name [setting INTEGRATOR $name]
    constraints Plain
    numberer Plain
    system FullGeneral
    switch $name {
        explicit {
            # Newmark's method with beta = 0, gamma = 1/2. One motion a step. Every free
            # degree of freedom needs a mass, and omega_max dt < 2.
            algorithm Linear
            integrator NewmarkExplicit 0.5
        }
        alphaos {
            # Operator splitting: the specimen moves to the predictor, the stiffness
            # that rths states corrects it. One motion a step.
            algorithm Linear
            integrator AlphaOS 1.0
        }
        newton {
            # Average acceleration with three Newton iterations: three motions a step,
            # the second and third of them small.
            test FixedNumIter 3
            algorithm Newton
            integrator Newmark 0.5 0.25
        }
        hht-hs {
            # HHT for hybrid simulation: three motions a step, a third of the way each.
            test FixedNumIter 3
            algorithm Newton
            integrator HHTHSFixedNumIter 0.9
        }
        default { error "INTEGRATOR $name: want explicit, alphaos, newton or hht-hs" }
    }
    analysis Transient
}

# quake is a ground acceleration (m/s2) every dt s: four sines of 0.7 to 4.1 Hz that grow
# for 2 s, stay until 60 % of the duration, and die out. It stays below peak.
proc quake {peak duration dt} {
    set pi [expr {acos(-1.0)}]
    set steps [expr {round($duration/$dt)}]
    for {set i 0} {$i <= $steps} {incr i} {
        set t [expr {$i*$dt}]
        set envelope [expr {min(1.0, $t/2.0, max(0.0, ($duration - $t)/(0.4*$duration)))}]
        set sum 0.0
        foreach {hz share phase} {0.7 0.2 0.0  1.3 0.3 0.9  2.3 0.3 2.0  4.1 0.2 3.1} {
            set sum [expr {$sum + $share*sin(2.0*$pi*$hz*$t + $phase)}]
        }
        lappend a [expr {$peak*$envelope*$sum}]
    }
    return $a
}

# record_response writes displacements (m) and the force of the specimen (N), a line a step, the
# time (s) in the first column. basicForce is the measured force that the last equation
# used: reading it costs no message.
proc record_response {nodes dof element} {
    set out [setting OUT .]
    file mkdir $out
    recorder Node -file $out/disp.out -precision 17 -time -node {*}$nodes -dof $dof disp
    if {[alone]} {
        recorder Element -file $out/force.out -precision 17 -time -ele $element material 1 stress
    } else {
        recorder Element -file $out/force.out -precision 17 -time -ele $element basicForce
    }
}

# steps makes the steps of dt s and ends OpenSees. wipe takes the element away, which
# tells rths that the analysis is over.
proc steps {count dt} {
    set count [setting STEPS $count]
    set stop [setting RUN ""]
    set failed 0
    set times {}
    for {set i 0} {$i < $count} {incr i} {
        if {$stop ne "" && [file exists [file join $stop stop]]} {
            puts "stopped: [file join $stop stop] is there"
            break
        }
        if {$i % [setting THINK_EVERY 1] == 0} { after [setting THINK_MS 0] }
        set begin [clock microseconds]
        if {[analyze 1 $dt] != 0} {
            puts "step [expr {$i + 1}] failed"
            set failed 1
            break
        }
        lappend times [expr {[clock microseconds] - $begin}]
    }
    if {$i > 0} {
        set median [lindex [lsort -integer $times] [expr {$i/2}]]
        puts [format "%d of %d steps of %g s, %.3f ms each (median)" $i $count $dt [expr {$median/1000.0}]]
    }
    wipe
    exit $failed
}
