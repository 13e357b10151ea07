#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_notes.hpp"

namespace gausscse {

namespace {

/// A metric, the metric that is its baseline, and the name of that baseline.
struct Baseline {
  const char* metric;
  const char* baseline;
  const char* meaning;
};

constexpr std::array<Baseline, 6> baselines{{{"accuracy", "majority", "the larger class"},
                                             {"auprc", "positives", "the share of entailments, as by chance"},
                                             {"direction_sim", "direction_length", "the longer sentence"},
                                             {"direction_sim", "direction_words", "the sentence of rarer words"},
                                             {"direction_var", "direction_length", "the longer sentence"},
                                             {"direction_var", "direction_words", "the sentence of rarer words"}}};

/// A name "TASK.METRIC" or "TASK.METRIC.PART", divided before and behind the metric.
struct DividedName {
  std::string task, metric, part;

  explicit DividedName(const std::string& name) {
    const std::size_t begin = name.find('.') + 1;
    const std::size_t end = std::min(name.find('.', begin), name.size());
    task = name.substr(0, begin);
    metric = name.substr(begin, end - begin);
    part = name.substr(end);
  }
};

/// Returns "mean(snli.majority, sick.majority)" of "mean(snli.accuracy, sick.accuracy)"; empty where the baseline is
/// not that of each part.
std::string name_of_baseline(const std::string& name, const Baseline& baseline) {
  const std::vector<std::string> metrics = metrics_named(name);
  std::string names;
  for (const std::string& metric : metrics) {
    const DividedName name_of(metric);
    if (name_of.metric != baseline.metric) return "";
    names += concat(names.empty() ? "" : ", ", name_of.task, baseline.baseline, name_of.part);
  }
  return metrics.size() > 1 ? concat("mean(", names, ")") : names;
}

/// Returns the lowest and the highest that done trials of the table's stage have; nothing where none has it.
std::optional<std::pair<Metric, Metric>> values_of(const std::string& name, const StudyTable& table,
                                                   const StudyResults& results) {
  std::optional<std::pair<Metric, Metric>> found;
  for (const StudyTrial& trial : results.trials) {
    if (trial.planned.stage != table.stage) continue;
    const std::optional<Metric> metric = metric_of(trial, name);
    if (!metric || std::isnan(metric->value)) continue;
    if (!found) found = {*metric, *metric};
    if (metric->value < found->first.value) found->first = *metric;
    if (metric->value > found->second.value) found->second = *metric;
  }
  return found;
}

/// Returns "snli.auprc 64.62": the value, or the lowest and the highest, of the metric `name` in place of `figure`;
/// empty where no trial has it.
std::string value_text(const std::string& metric, const std::string& name, const StudyTable& table,
                       const StudyResults& results, bool cut) {
  const auto values = values_of(name, table, results);
  if (!values) return "";
  const std::string low = printed_value(values->first.value, values->first.unit, cut),
                    high = printed_value(values->second.value, values->second.unit, cut);
  return concat(metric, " ", low, low == high ? "" : " to " + high);
}

/// Meaning of the rows of backbones, which `compare` prints as columns.
constexpr const char* row_legend =
    "backbone: the encoder before the training, its pooled vectors by cosine; no value of trials is marked if their "
    "backbone's is higher.";

/// Returns "A; B." behind `begin`; empty where there are no parts.
std::string note_of(const std::string& begin, const std::vector<std::string>& parts) {
  return parts.empty() ? "" : concat(begin, joined(parts, "; "), ".");
}

}  // namespace

std::string baseline_note(const StudyTable& table, const StudyResults& results, bool cut) {
  std::vector<std::string> without_model, backbones;
  std::set<std::string> seen;
  for (const std::string& metric : table.column_metrics) {
    if (!seen.insert(metric).second) continue;
    if (std::string text = value_text(metric, of_backbone(metric), table, results, cut); !text.empty())
      backbones.push_back(std::move(text));
    for (const Baseline& baseline : baselines) {
      const std::string name = name_of_baseline(metric, baseline);
      const std::string text = name.empty() ? "" : value_text(metric, name, table, results, cut);
      if (!text.empty()) without_model.push_back(concat(text, " (", baseline.meaning, ")"));
    }
  }
  const std::string first = note_of("Without a model: ", without_model),
                    second = table.backbones > 0 ? std::string(row_legend)
                                                 : note_of("The backbone, its pooled vectors by cosine: ", backbones);
  return concat(first, first.empty() || second.empty() ? "" : " ", second);
}

}  // namespace gausscse
