#include "evaluation/nli/nli_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/nli_pair.hpp"
#include "evaluation/calibration/calibrator_metrics.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

bool is_entailment(const NliPairs& pairs, std::size_t pair) {
  return static_cast<NliLabel>(pairs.label[pair]) == NliLabel::entailment;
}

}  // namespace

bool entails_one_way(const NliPairs& pairs, std::size_t pair) {
  return is_entailment(pairs, pair) && pairs.both_ways[pair] == 0;
}

std::vector<PairEvidence> evidence_of(const NliPairs& pairs, const NliScores& scores, std::int64_t dimension) {
  const std::vector<float>& backward =
      scores.premise_hypothesis.empty() ? scores.hypothesis_premise : scores.premise_hypothesis;
  std::vector<PairEvidence> evidence(pairs.label.size());
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    PairEvidence& pair = evidence[i];
    pair.forward = static_cast<double>(scores.hypothesis_premise[i]);
    pair.backward = static_cast<double>(backward[i]);
    if (!scores.log_std_premise.empty())
      // A sum of log standard deviations is half that of log-variances.
      pair.log_var_difference =
          (static_cast<double>(scores.log_std_hypothesis[i]) - static_cast<double>(scores.log_std_premise[i])) * 2 /
          static_cast<double>(dimension);
    pair.log_length_ratio = log_length_ratio_of(static_cast<std::size_t>(pairs.premise_characters[i]),
                                                static_cast<std::size_t>(pairs.hypothesis_characters[i]));
    pair.cosine = scores.cosine.empty() ? 0 : static_cast<double>(scores.cosine[i]);
  }
  return evidence;
}

std::optional<Calibration> calibration_of(const NliPairs& pairs, const std::vector<PairEvidence>& evidence,
                                          const NliScoring& scoring, Similarity similarity, const std::string& set) {
  std::vector<LabelledEvidence> labelled;
  for (std::size_t i = 0; i < evidence.size(); ++i)
    if (counts(pairs, scoring, i))
      labelled.push_back({evidence[i], is_entailment(pairs, i), entails_one_way(pairs, i), pairs.fitted[i]});
  CalibrationNumbers numbers;
  numbers.similarity = similarity;
  numbers.set = set;
  numbers.data_hash = pairs.content_hash;
  return fit_calibration(labelled, std::move(numbers));
}

NliProbabilities::NliProbabilities(const Calibration& calibration, bool own, const NliPairs& pairs,
                                   const std::vector<PairEvidence>& evidence, const NliScoring& scoring)
    : calibration_(calibration), auprc_(scoring.auprc), pairs_(pairs), evidence_(evidence) {
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    calibrated_on_.push_back(own && counts(pairs, scoring, i) && pairs.fitted[i] ? 1 : 0);
    if (counts(pairs, scoring, i) && calibrated_on_.back() == 0) measured_.push_back(i);
  }
}

double NliProbabilities::area_of(const std::vector<double>& p, const std::vector<std::uint8_t>& entailed) const {
  if (std::none_of(entailed.begin(), entailed.end(), [](std::uint8_t each) { return each != 0; }))
    return std::numeric_limits<double>::quiet_NaN();
  return auprc_ == setting::Auprc::sweep ? area_under_precision_recall_sweep(p, entailed)
                                         : area_under_precision_recall(p, entailed);
}

std::vector<Metric> NliProbabilities::metrics(int threads) const {
  std::vector<Metric> metrics;
  if (measured_.empty()) return metrics;
  std::vector<std::uint8_t> entailed;
  for (const std::size_t i : measured_) entailed.push_back(is_entailment(pairs_, i) ? 1 : 0);
  std::vector<std::vector<double>> p_of_calibrators;
  for (const auto& [calibrator, name] : names<Calibrator>) {
    std::vector<double>& p = p_of_calibrators.emplace_back();
    for (const std::size_t i : measured_) p.push_back(calibration_.probability(evidence_[i], calibrator));
  }
  std::vector<std::int64_t> clusters;
  for (const std::size_t i : measured_) clusters.push_back(pairs_.cluster[i]);
  const std::vector<CalibrationError> errors =
      calibration_errors(p_of_calibrators, entailed, ItemClusters(clusters), threads);
  for (std::size_t each = 0; each < p_of_calibrators.size(); ++each) {
    const auto& [calibrator, name] = names<Calibrator>[each];
    const std::vector<double>& p = p_of_calibrators[each];
    const Answers answers = either_answers(p, entailed);
    metrics.push_back({concat(name, ".auprc"), area_of(p, entailed), Unit::fraction});
    metrics.push_back({concat(name, ".accuracy"), accuracy_at(0.5, p, entailed), Unit::fraction});
    for (const std::vector<Metric>& more : {calibrator_metrics(std::string(name), p, entailed, errors[each], answers),
                                            promise_metrics(calibration_, calibrator, answers)})
      metrics.insert(metrics.end(), more.begin(), more.end());
  }
  if (has_direction(calibration_.numbers().similarity)) add_direction(metrics);
  return metrics;
}

void NliProbabilities::add_direction(std::vector<Metric>& metrics) const {
  for (const int percent : risks_in_percent) {
    const double least =
        calibration_.difference_at_risk(percent / 100.0).value_or(std::numeric_limits<double>::infinity());
    double directed = 0, answered = 0, wrong = 0;
    for (const std::size_t i : measured_) {
      if (!entails_one_way(pairs_, i)) continue;
      ++directed;
      const double difference = evidence_[i].forward - evidence_[i].backward;
      if (std::abs(difference) < least) continue;
      ++answered;
      wrong += difference > 0 ? 0 : 1;
    }
    metrics.push_back({concat("direction_sim.answered_", percent), answered / directed, Unit::fraction});
    metrics.push_back({concat("direction_sim.error_", percent), wrong / answered, Unit::fraction});
  }
}

std::vector<Column> NliProbabilities::columns() const {
  std::vector<double> probability;
  for (const PairEvidence& pair : evidence_) probability.push_back(calibration_.probability(pair));
  return {{"probability", std::move(probability)}, {"calibrated_on", calibrated_on_}};
}

}  // namespace gausscse
