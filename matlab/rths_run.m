function run = rths_run(scenario, varargin)
% RTHS_RUN  Runs a scenario and returns a structure: status, verdict, criteria, units and frames.
%   run = rths_run('frame.yaml', 'compensator.kind', 'kf', 'rate_hz', 2048)
%   Pairs of key and value override the scenario; a value may also be true, a vector or a structure. The pair 'out',
%   FOLDER says where the record is kept. frames has a column vector for each signal, units the unit of each.
%   A run that diverges is a warning, and its status says so.
  words = {'run', '--mat'};
  if mod(numel(varargin), 2) ~= 0
    error('rths:input', 'found %d words after the scenario: want pairs of key and value', numel(varargin));
  end
  for i = 1:2:numel(varargin)
    key = varargin{i};
    if strcmp(key, 'out')
      words{end + 1} = ['--out=' varargin{i + 1}];
    else
      words{end + 1} = ['--set=' key '=' jsonencode(varargin{i + 1})];
    end
  end
  [run, failure] = rths_call(words{:}, '--', scenario);
  if ~isempty(failure)
    warning('rths:run', '%s', failure);
  end
  run.folder = fileparts(run.files{1});
  run.frames = load(fullfile(run.folder, 'frames.mat'));
  run.units = run.frames.units;
  run.frames = rmfield(run.frames, 'units');
end
