% GNU Octave 7.3 wrote cells-v6.mat and cells-v7.mat by these lines.
t=(0:4)'*0.01; c={t, [1;2;3;4;5], 'text'}; s(1).x=t; s(2).x=2*t; s(2).y=[9;8]; q.in.c={3*t};
save('-v6','cells-v6.mat','c','s','q'); save('-v7','cells-v7.mat','c','s','q');
