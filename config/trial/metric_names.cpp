#include "config/trial/metric_names.hpp"

#include <algorithm>

#include "base/choice.hpp"
#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr const char* gold_labels[] = {"entailment", "neutral", "contradiction"};

/// Names of one kind of task.
struct Names {
  std::vector<std::string> whole, beginnings = {};
};

Names names_of_task(const NliTaskSettings& task, bool has_directions) {
  Names names{{"pairs", "accuracy", "threshold", "auprc", "directed_pairs", "direction_sim", "direction_var",
               "direction_length", "majority", "positives", "accuracy_own"}};
  for (const char* label : gold_labels) names.whole.push_back(concat("accuracy.", label));
  if (has_directions) {
    for (const char* metric : {"directed_pairs", "direction_sim", "direction_var"})
      for (const char* stratum : {"premise_longer", "equal_length", "premise_shorter", "similar_length"})
        names.whole.push_back(concat(metric, ".", stratum));
    names.whole.insert(names.whole.end(), {"direction_length.similar_length", "direction_var.length_correlation"});
  }
  if (!task.by.empty())
    for (const char* metric :
         {"pairs", "accuracy", "majority", "auprc", "positives", "directed_pairs", "direction_sim", "direction_var"})
      names.beginnings.push_back(concat(metric, ".", task.by, "="));
  return names;
}

Names names_of_task(const StsTaskSettings&, bool has_directions) {
  Names names{{"pairs", "missing_subsets"}};
  for (const char* prefix : {"", "symmetric_"}) {
    if (*prefix && !has_directions) continue;
    for (const char* metric : {"spearman", "spearman_mean", "spearman_wmean"})
      names.whole.push_back(concat(prefix, metric));
    names.beginnings.push_back(concat(prefix, "spearman."));
  }
  return names;
}

Names names_of_task(const GeometryTaskSettings&, bool) {
  return {{}, {""}};
}

Names names_of_task(const NliLabelsTaskSettings&, bool) {
  Names names{{"pairs", "accuracy"}};
  for (const char* label : gold_labels) {
    names.whole.push_back(concat("accuracy.", label));
    for (const char* told : gold_labels) names.whole.push_back(concat("confusion.", label, ".", told));
  }
  return names;
}

Names names_of_task(const TransferTaskSettings& task, bool) {
  Names names{{"accuracy"}};
  for (const TransferDataset dataset : task.tasks) {
    for (const char* metric : {"accuracy", "dev_accuracy"})
      names.whole.push_back(concat(metric, ".", name_of(dataset)));
    if (dataset == TransferDataset::mrpc) names.whole.push_back(concat("f1.", name_of(dataset)));
  }
  return names;
}

}  // namespace

MetricNames::MetricNames(const TaskSettings& task, bool has_directions) {
  Names names = std::visit([&](const auto& settings) { return names_of_task(settings, has_directions); }, task.of_kind);
  whole_ = std::move(names.whole);
  beginnings_ = std::move(names.beginnings);
}

bool MetricNames::may_have(std::string_view name) const {
  const auto begins = [&](const std::string& beginning) {
    return name.size() > beginning.size() && name.starts_with(beginning);
  };
  return std::find(whole_.begin(), whole_.end(), name) != whole_.end() ||
         std::any_of(beginnings_.begin(), beginnings_.end(), begins);
}

}  // namespace gausscse
