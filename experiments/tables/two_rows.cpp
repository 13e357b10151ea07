#include <algorithm>
#include <utility>
#include <vector>

#include "experiments/tables/make_table.hpp"

namespace gausscse {

namespace {

/// Puts a before b: in the rows of trials, and in those of backbones.
template <typename Row>
void turn_round(std::vector<Row>& rows) {
  std::reverse(rows.begin(), rows.begin() + 2);
  std::reverse(rows.begin() + 2, rows.end());
}

}  // namespace

StudyTable make_table_of_two(NamedTrials a, NamedTrials b, const std::vector<std::string>& metrics,
                             const TableOptions& options, TrialItems& items) {
  TableSettings settings;
  settings.rows = {"group"};
  settings.compare = "group";
  for (const std::string& metric : metrics) settings.metrics.push_back({metric, "", "", ""});
  StudyResults both;
  for (NamedTrials* side : {&b, &a})
    for (StudyTrial& trial : side->trials) {
      trial.planned.stage.clear();
      trial.planned.coordinates = {{"group", side->label}};
      both.trials.push_back(std::move(trial));
    }
  StudyTable table = make_table(settings, both, options, items);
  turn_round(table.cells);
  turn_round(table.row_labels);
  return table;
}

}  // namespace gausscse
