#include "config/tasks/nli_labels_task_settings.hpp"

#include "config/schema/key_kinds.hpp"
#include "config/tasks/task_layout.hpp"

namespace gausscse {

Keys<NliLabelsTaskSettings> NliLabelsTaskSettings::keys() {
  using namespace key_kinds;
  using Labels = NliLabelsTaskSettings;
  return with_layout_keys<Labels>(
      {
          key("files", at(&Labels::file), one_path("file"),
              "NLI file: jsonl or txt of SNLI and MNLI, SICK.txt or another file of SICK. Without it the examples that "
              "`data.dev_fraction` holds out."),
          key("rows", at(&Labels::rows), "Rows of SICK.txt: TRIAL (dev) or TEST."),
      },
      TaskPairs::labelled);
}

MetricNames NliLabelsTaskSettings::metric_names(bool) const {
  MetricNames names{{"pairs", "accuracy"}};
  for (const char* label : gold_label_names) {
    names.whole.push_back(concat("accuracy.", label));
    for (const char* predicted : gold_label_names) names.whole.push_back(concat("confusion.", label, ".", predicted));
  }
  return names;
}

std::vector<KeyProblem> NliLabelsTaskSettings::problems_in(const TrialAroundTask& trial) const {
  std::vector<KeyProblem> problems = file.empty() ? problems_without_files(layout) : problems_of_labels(layout);
  if (!trial.has_classifier)
    problems.push_back(
        {"kind",
         "nli_labels asks the classifier of pairs, which this objective does not train: choose objective.kind "
         "pair_classification, or a sum with such a term, or remove the task"});
  return problems;
}

}  // namespace gausscse
