function runs = rths_sweep(scenario, key, values, varargin)
% RTHS_SWEEP  Runs a scenario once for each value of a key, and returns a structure array: value, status, criteria, run.
%   runs = rths_sweep('frame.yaml', 'compensator.kind', {'kf', 'amb'});
%   runs = rths_sweep('frame.yaml', 'rate_hz', [1024 2048], 'compensator.kind', 'kf');
%   Further pairs override the scenario in each run, as in rths_run.
  if any(strcmp(varargin(1:2:end), 'out'))
    error('rths:input', 'found out among the pairs: all runs of a sweep would go into one folder: want no such pair');
  end
  if ~iscell(values)
    values = num2cell(values);
  end
  runs = struct('value', values(:), 'status', '', 'criteria', [], 'run', []);
  for i = 1:numel(values)
    run = rths_run(scenario, key, values{i}, varargin{:});
    runs(i).status = run.status;
    runs(i).criteria = run.criteria;
    runs(i).run = run;
  end
end
