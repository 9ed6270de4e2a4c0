function rows = rths_table(run)
% RTHS_TABLE  Returns the criteria of a run as a cell array of names and values; prints them if nothing takes them.
  names = fieldnames(run.criteria);
  rows = [names, struct2cell(run.criteria)];
  if nargout == 0
    fprintf('%s: %s: %s\n', run.name, run.status, run.verdict);
    for i = 1:size(rows, 1)
      fprintf('  %-28s %12.5g\n', rows{i, 1}, rows{i, 2});
    end
    clear rows
  end
end
