#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/tables/table_notes.hpp"

namespace gausscse {

namespace {

/// Returns "training.batch_size 16, training.learning_rate 1e-5".
std::string chosen_text(const TableCell& cell) {
  return joined(cell.chosen, ", ", [](const auto& chosen) { return concat(chosen.first, " ", chosen.second); });
}

/// Chosen settings, and the rows or cells that have them.
struct ChosenSettings {
  std::string text;
  std::vector<std::string> places;
};

}  // namespace

std::string chosen_note(const StudyTable& table, const TableChoice& choice) {
  std::vector<ChosenSettings> all;
  bool everywhere = true;
  for (std::size_t r = 0; r < rows_of_trials(table); ++r) {
    const std::vector<TableCell>& row = table.cells[r];
    const bool is_of_row =
        std::all_of(row.begin(), row.end(), [&](const TableCell& cell) { return cell.chosen == row.front().chosen; });
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string text = chosen_text(row[c]);
      everywhere = everywhere && !text.empty();
      if (text.empty()) continue;
      std::vector<std::string> labels = table.row_labels[r];
      if (!is_of_row) labels.insert(labels.end(), table.column_labels[c].begin(), table.column_labels[c].end() - 1);
      auto settings =
          std::find_if(all.begin(), all.end(), [&](const ChosenSettings& each) { return each.text == text; });
      if (settings == all.end()) settings = all.insert(all.end(), {text, {}});
      add_once(settings->places, joined(labels, " "));
    }
  }
  if (all.empty()) return "";
  const bool is_one = all.size() == 1 && everywhere;
  return concat("Chosen in the stage ", choice.stage, " by ", choice.metric, ": ",
                joined(all, "; ",
                       [&](const ChosenSettings& each) {
                         return is_one ? each.text : concat(each.text, " for ", joined(each.places));
                       }),
                ".");
}

}  // namespace gausscse
