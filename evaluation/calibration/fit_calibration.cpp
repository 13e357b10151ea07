#include "evaluation/calibration/fit_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/content_hash.hpp"
#include "evaluation/calibration/logistic_regression.hpp"

namespace gausscse {

namespace {

std::vector<RiskCut> probability_cuts(const Calibration& calibration, Calibrator calibrator,
                                      std::span<const LabelledEvidence> pairs) {
  std::vector<double> confidence;
  std::vector<std::uint8_t> wrong;
  for (const LabelledEvidence& pair : pairs) {
    if (pair.fitted) continue;
    const double p = calibration.probability(pair.evidence, calibrator);
    confidence.push_back(confidence_of(p));
    wrong.push_back((p >= 0.5) != pair.entailed ? 1 : 0);
  }
  return risk_cuts_of(confidence, wrong);
}

/// Equal similarities have no direction, so that answering them is wrong.
std::vector<RiskCut> cuts_of_directions(std::span<const LabelledEvidence> pairs) {
  std::vector<double> difference;
  std::vector<std::uint8_t> wrong;
  for (const LabelledEvidence& pair : pairs) {
    if (pair.fitted || !pair.directed) continue;
    difference.push_back(std::abs(pair.evidence.forward - pair.evidence.backward));
    wrong.push_back(pair.evidence.forward > pair.evidence.backward ? 0 : 1);
  }
  return risk_cuts_of(difference, wrong);
}

}  // namespace

PlattFit fit_platt(std::span<const double> logits, std::span<const std::uint8_t> entailed) {
  const auto positive =
      static_cast<double>(std::count_if(entailed.begin(), entailed.end(), [](std::uint8_t each) { return each != 0; }));
  const double negative = static_cast<double>(entailed.size()) - positive;
  std::vector<double> targets;
  for (const std::uint8_t each : entailed)
    targets.push_back(each != 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2));
  const LogisticWeights fit = fit_logistic_regression(logits, targets, 0);
  return {fit.weights.front(), fit.intercept};
}

LogisticFit fit_logistic(std::span<const PairFeatures> columns, std::span<const std::uint8_t> entailed) {
  LogisticFit fit;
  const auto pairs = static_cast<double>(columns.size());
  for (std::size_t i = 0; i < fit.mean.size(); ++i) {
    double sum = 0, squares = 0;
    for (const PairFeatures& row : columns) sum += row[i];
    fit.mean[i] = sum / pairs;
    for (const PairFeatures& row : columns) squares += (row[i] - fit.mean[i]) * (row[i] - fit.mean[i]);
    fit.scale[i] = std::sqrt(squares / pairs);
    // Rounding of the mean gives a constant column a spread, too.
    if (!(fit.scale[i] > 1e-12 * std::max(1.0, std::abs(fit.mean[i])))) fit.scale[i] = 1;
  }
  std::vector<double> rows, targets;
  for (const PairFeatures& row : columns)
    for (std::size_t i = 0; i < row.size(); ++i) rows.push_back((row[i] - fit.mean[i]) / fit.scale[i]);
  for (const std::uint8_t each : entailed) targets.push_back(each != 0 ? 1 : 0);
  const LogisticWeights weights = fit_logistic_regression(rows, targets, logistic_l2);
  std::copy(weights.weights.begin(), weights.weights.end(), fit.weight.begin());
  fit.intercept = weights.intercept;
  return fit;
}

std::optional<Calibration> fit_calibration(std::span<const LabelledEvidence> pairs, CalibrationNumbers set) {
  std::vector<PairFeatures> columns;
  std::vector<double> logits;
  std::vector<std::uint8_t> entailed;
  for (const LabelledEvidence& pair : pairs) {
    if (!pair.fitted) continue;
    columns.push_back(features_of(pair.evidence, set.similarity));
    logits.push_back(columns.back().front());
    entailed.push_back(pair.entailed ? 1 : 0);
  }
  set.pairs = pairs.size();
  set.fitted = entailed.size();
  set.entailed = static_cast<std::uint64_t>(std::count(entailed.begin(), entailed.end(), 1));
  if (set.entailed == 0 || set.entailed == set.fitted) return std::nullopt;
  set.platt = fit_platt(logits, entailed);
  set.logistic = fit_logistic(columns, entailed);
  set.isotonic = fit_isotonic(logits, entailed);
  if (has_direction(set.similarity)) set.direction_cuts = cuts_of_directions(pairs);
  const Calibration fitted(set);
  for (const auto& [calibrator, name] : names<Calibrator>)
    set.cuts[static_cast<std::size_t>(calibrator)] = probability_cuts(fitted, calibrator, pairs);
  return Calibration(std::move(set));
}

std::vector<bool> fitted_pairs(std::span<const std::string> premise_of_number, std::span<const std::uint32_t> premise) {
  std::map<std::string, std::uint32_t> numbers;  // of premises, by their hash
  for (const std::uint32_t number : premise) numbers.emplace(content_hash_of(premise_of_number[number]), number);
  std::vector<bool> is_fitted(premise_of_number.size(), false);
  bool next = true;
  for (const auto& [hash, number] : numbers) is_fitted[number] = std::exchange(next, !next);
  std::vector<bool> fitted;
  for (const std::uint32_t number : premise) fitted.push_back(is_fitted[number]);
  return fitted;
}

}  // namespace gausscse
