% Tests of the functions for MATLAB and Octave, by Octave: bash .ci/matlab. The working folder has demo.yaml.
quick = {'ground.duration_s', 5, 'ground.strong_s', 2, 'ground.decay_s', 1};

run = rths_run('demo.yaml', 'compensator.kind', 'kf', 'limits', 'none', 'out', 'one', quick{:});
assert(strcmp(run.status, 'completed') && ~isempty(run.verdict));
assert(exist(fullfile('one', 'frames.arrow'), 'file') == 2);
assert(numel(run.frames.target), run.samples);
assert(strcmp(run.units.force, 'N'));
assert(abs((run.frames.time(2) - run.frames.time(1)) * run.rate_hz - 1) < 1e-9);
printed = evalc('rths_table(run)');
assert(~isempty(strfind(printed, 'J2_pct')));
rows = rths_table(run);
assert(rows{strcmp(rows(:, 1), 'J2_pct'), 2}, run.criteria.J2_pct);

runs = rths_sweep('demo.yaml', 'compensator.kind', {'kf', 'amb-galmez2021'}, quick{:});
assert(numel(runs) == 2);
assert(runs(1).criteria.J2_pct, run.criteria.J2_pct);
assert(runs(1).criteria.J2_pct ~= runs(2).criteria.J2_pct);

lastwarn('');
run = rths_run('demo.yaml', 'diverged_m', 1e-4, quick{:});
assert(strcmp(run.status, 'diverged'));
assert(~isempty(strfind(lastwarn(), 'diverged at t = ')));

function refused(call, id, text)
  try
    call();
  catch wrong
    assert(strcmp(wrong.identifier, id), wrong.identifier);
    assert(~isempty(strfind(wrong.message, text)), wrong.message);
    return
  end
  error('found no error: want %s', text);
end
refused(@() rths_run('demo.yaml', 'limits', 5), 'rths:input', 'limits: found "5": want a list');
refused(@() rths_run('nothing.yaml'), 'rths:input', 'want a scenario file');
refused(@() rths_run('demo.yaml', 'rate_hz'), 'rths:input', 'want pairs of key and value');
refused(@() rths_sweep('demo.yaml', 'rate_hz', 1024, 'out', 'x'), 'rths:input', 'one folder');
refused(@() rths_run('it''s "odd".yaml'), 'rths:input', 'it''s "odd".yaml');
setenv('RTHS_BINARY', fullfile(pwd(), 'nowhere'));
refused(@() rths_run('demo.yaml'), 'rths:program', 'setenv(''RTHS_BINARY''');
setenv('RTHS_BINARY', '');
if ~ispc()
  path_of_system = getenv('PATH');
  mkdir('empty');
  setenv('PATH', fullfile(pwd(), 'empty'));
  refused(@() rths_run('demo.yaml'), 'rths:program', 'want the folder of rths on the path of the system');
  setenv('PATH', path_of_system);
end
disp('all tests of matlab/ have passed');
