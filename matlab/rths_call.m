function [data, failure] = rths_call(varargin)
% RTHS_CALL  Calls the program rths and returns its result as a structure.
%   [data, failure] = rths_call('run', 'frame.yaml', '--set=rate_hz=2048') also returns why the result is no success; ''
%   if it is one. A wrong input is an error with the text of the program, which names file, line, column and key.
%   The program is the one in the environment variable RTHS_BINARY, else rths on the path.
  program = getenv('RTHS_BINARY');
  if isempty(program)
    program = 'rths';
  end
  words = [{program, varargin{1}, '--json'}, varargin(2:end)];
  said = [tempname() '.txt'];
  cleaner = onCleanup(@() delete_if_there(said));
  line = [strjoin(cellfun(@quoted, words, 'UniformOutput', false), ' ') ' 2>' quoted(said)];
  [status, printed] = system(line);
  messages = '';
  if exist(said, 'file')
    messages = strtrim(fileread(said));
  end
  if any(status == [126, 127, 9009])
    error('rths:program', ['cannot start %s (%s): want the folder of rths on the path of the system, ' ...
      'or the program in setenv(''RTHS_BINARY'', ...)'], program, messages);
  end
  at = regexp(messages, '(^|\n)rths: ', 'end', 'once');
  failure = messages(at + 1:end);
  if status == 2 || isempty(strtrim(printed))
    if isempty(failure)
      failure = sprintf('the program ended with status %d: %s', status, messages);
    end
    error('rths:input', '%s', failure);
  end
  data = jsondecode(printed);
end

function text = quoted(word)
% QUOTED  Is a word as the shell of the system takes it.
  if ispc()
    text = ['"' strrep(word, '"', '\"') '"'];
  else
    text = ['''' strrep(word, '''', '''\''''') ''''];
  end
end

function delete_if_there(file)
  if exist(file, 'file')
    delete(file);
  end
end
