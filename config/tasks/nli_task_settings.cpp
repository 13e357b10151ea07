#include "config/tasks/nli_task_settings.hpp"

#include <charconv>
#include <cmath>

#include "config/schema/key_kinds.hpp"
#include "config/tasks/length_strata.hpp"
#include "config/tasks/task_layout.hpp"

namespace gausscse {

namespace {

key_kinds::Codec<std::string> threshold_text() {
  key_kinds::Codec<std::string> text = key_kinds::text("own, the name of another NLI task, or a number");
  text.read = [](const YamlNode& node, const auto&) {
    if (read_text(node).empty()) throw ValueProblem{node.position, "the text is empty"};
    return node.text;
  };
  return text;
}

}  // namespace

Keys<NliTaskSettings> NliTaskSettings::keys() {
  using namespace key_kinds;
  using Nli = NliTaskSettings;
  return with_layout_keys<Nli>(
      {
          key("files", at(&Nli::file), one_path("file"),
              "NLI file: jsonl or txt of SNLI and MNLI, SICK.txt or another file of SICK. Without it the examples that "
              "`data.dev_fraction` holds out."),
          key("threshold", at(&Nli::threshold), threshold_text(),
              "Smallest similarity that counts as entailment: the best for the set itself, that of another task, or a "
              "number."),
          key("rows", at(&Nli::rows),
              "Rows of SICK.txt: TRIAL (dev) or TEST; without it dev if the threshold is own, else test."),
          key("two_way_pairs", at(&Nli::two_way_pairs), "As `evaluation.two_way_pairs`, for this task."),
          key("no_gold_label", at(&Nli::no_gold_label), "As `evaluation.no_gold_label`, for this task."),
          key("auprc", at(&Nli::auprc), "As `evaluation.auprc`, for this task."),
          key("by", at(&Nli::by), text("a column or JSON key of the file"),
              "Metrics are computed for each value of this key as well, such as genre or category."),
      },
      TaskPairs::labelled);
}

MetricNames NliTaskSettings::metric_names(bool has_directions) const {
  MetricNames names{{"pairs", "accuracy", "threshold", "auprc", "auprc_length", "directed_pairs", "direction_sim",
                     "direction_var", "direction_length", "direction_words", "majority", "positives", "accuracy_own",
                     "direction_length.ties_wrong"}};
  for (const char* label : gold_label_names) names.whole.push_back(concat("accuracy.", label));
  if (has_directions) {
    for (const char* metric : {"directed_pairs", "direction_sim", "direction_var"}) {
      for (const LengthStratum& stratum : length_strata) names.whole.push_back(concat(metric, ".", stratum.name));
      for (const LengthStratum& stratum : finer_length_strata) names.whole.push_back(concat(metric, ".", stratum.name));
    }
    names.whole.insert(names.whole.end(), {"direction_length.similar_length", "direction_words.similar_length",
                                           "direction_var.length_correlation"});
  }
  for (const char* calibrator : {"platt", "logistic", "isotonic"})
    for (const char* metric :
         {"auprc", "accuracy", "nll", "brier", "ece", "ece_debiased", "ece_low", "ece_high", "ece_null", "aurc",
          "coverage_5", "coverage_10", "answered_5", "error_5", "answered_10", "error_10"})
      names.whole.push_back(concat(calibrator, ".", metric));
  if (has_directions)
    names.whole.insert(names.whole.end(), {"direction_sim.answered_5", "direction_sim.error_5",
                                           "direction_sim.answered_10", "direction_sim.error_10"});
  names.of_directions = {"direction_sim", "direction_var"};
  if (!by.empty())
    for (const char* metric :
         {"pairs", "accuracy", "majority", "auprc", "positives", "directed_pairs", "direction_sim", "direction_var"})
      names.beginnings.push_back(concat(metric, ".", by, "="));
  return names;
}

std::vector<KeyProblem> NliTaskSettings::problems_in(const TrialAroundTask&) const {
  if (!file.empty()) return problems_of_labels(layout);
  std::vector<KeyProblem> problems = problems_without_files(layout);
  if (rows)
    problems.push_back({"rows", "goes with files: held-out examples are of the rows that data.train reads: remove it"});
  return problems;
}

setting::SickRows NliTaskSettings::rows_read() const {
  return rows.value_or(threshold == own_threshold ? setting::SickRows::dev : setting::SickRows::test);
}

std::optional<double> fixed_threshold_of(const NliTaskSettings& task) {
  double value = 0;
  const char* end = task.threshold.data() + task.threshold.size();
  const auto [read_to, error] = std::from_chars(task.threshold.data(), end, value);
  return error == std::errc() && read_to == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace gausscse
