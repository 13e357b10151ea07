#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "data/corpus/nli_pair.hpp"
#include "inference/calibration/feature_shift.hpp"
#include "inference/calibration/risk_answers.hpp"

namespace gausscse {

/// Options of `gausscse score` for probabilities and abstention.
struct ProbabilityOptions {
  bool probability = false;
  bool labels = false;
  std::string calibrator = "platt", calibration;
  double risk = 0;  ///< 0: not given
};

void add_probability_options(CLI::App& command, ProbabilityOptions& options);

/// Answers to "does the first sentence entail the second", pair by pair, and their errors if labels are known.
class ProbabilityAnswers {
 public:
  /// Logs the confidence from which on pairs are answered, or that all abstain.
  ProbabilityAnswers(Calibration calibration, const ProbabilityOptions& options);

  /// Adds the columns of a pair to `columns`: `probability`, and with a risk `direction` if the similarity has one.
  /// Returns the verdict with a risk, "entailed", "not entailed" or "abstains"; null without. Counts the answer if the
  /// pair has a gold label.
  const char* answer(const PairEvidence& pair, std::optional<NliLabel> label, nlohmann::ordered_json& columns);

  /// Returns the names of the columns that `answer` adds, with a tab in front of each.
  std::string heading() const;

  /// Adds `calibration`, and with labels `observed`, to a report of scores.
  void add_to(nlohmann::ordered_json& report) const;
  /// Logs the observed error and coverage, if labels are known, and warns of pairs, called `name`, that are unlike
  /// those of the calibration.
  void log_observed(const std::string& name) const;

 private:
  RiskAnswers answers_;
  FeatureShift shift_;
  bool has_labels_;
  std::uint64_t labelled_ = 0, answered_ = 0, errors_ = 0;
};

}  // namespace gausscse
