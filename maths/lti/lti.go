// Package lti holds linear time-invariant systems as transfer functions (TF),
// by their zeros, poles and gain (ZPK) and in state space (SS), continuous or
// discrete, takes them from continuous to discrete, and designs regulators and
// estimators for them (LQR, LQE) by Riccati equations (CARE, DARE).
//
//	continuous (Dt = 0):  x' = A x + B u,        y = C x + D u,     G(s) = C (sI-A)^-1 B + D
//	discrete   (Dt > 0):  x[k+1] = A x[k] + B u[k], y = C x + D u,  G(z) = C (zI-A)^-1 B + D
//
// Dt is the sample time in seconds and part of the type: operations on two
// systems refuse to mix sample times. Polynomial coefficients stand in
// descending powers, as MATLAB writes them: {1, 2, 3} is s² + 2 s + 3.
// Frequencies are in rad/s, times in s; the units of u, x and y are the
// caller's.
//
// Systems are small (up to some tens of states; Sweep is for responses of larger
// ones) and made before a run; only Map belongs in a loop that has a deadline. States
// may have very different units (N beside m, entries of 1e13 beside 1e-6): matrices
// are balanced by powers of two before they are exponentiated or solved. Polynomials
// above order 10 or so lose accuracy in double precision: use state space there.
//
// References: G.F. Franklin, J.D. Powell, M.L. Workman, Digital Control of
// Dynamic Systems, 3rd ed., ch. 4 and 6 (state space, discrete equivalents);
// C.F. Van Loan, IEEE Trans. Autom. Control 23 (1978) 395,
// doi:10.1109/TAC.1978.1101743 (one exponential for the map and its inputs);
// N.J. Higham, Functions of Matrices, doi:10.1137/1.9780898717778, ch. 10.
package lti
