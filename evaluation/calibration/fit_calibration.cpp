#include "evaluation/calibration/fit_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/content_hash.hpp"
#include "evaluation/calibration/logistic_regression.hpp"
#include "evaluation/calibration/probability_metrics.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

bool is_positive(const LabelledEvidence& pair) {
  return pair.entailed;
}

bool is_positive(const LabelledHit& hit) {
  return hit.right;
}

Answers answers_of(const LabelledEvidence&, std::span<const double> p, std::span<const std::uint8_t> entailed) {
  return either_answers(p, entailed);
}

Answers answers_of(const LabelledHit&, std::span<const double> p, std::span<const std::uint8_t> right) {
  return found_answers(p, right);
}

/// Fits the calibrators on the fitted items and counts the cuts on the others.
template <typename Item>
std::optional<Calibration> fit_items(std::span<const Item> items, CalibrationNumbers set) {
  std::vector<PairFeatures> columns;
  std::vector<double> logits;
  std::vector<std::uint8_t> positive;
  for (const Item& item : items) {
    if (!item.fitted) continue;
    columns.push_back(features_of(item.evidence, set.similarity));
    logits.push_back(columns.back().front());
    positive.push_back(is_positive(item) ? 1 : 0);
  }
  set.pairs = items.size();
  set.fitted = positive.size();
  set.entailed = static_cast<std::uint64_t>(std::count(positive.begin(), positive.end(), 1));
  if (set.entailed == 0 || set.entailed == set.fitted) return std::nullopt;
  set.platt = fit_platt(logits, positive);
  set.logistic = fit_logistic(columns, positive);
  set.isotonic = fit_isotonic(logits, positive);
  const Calibration fitted(set);
  for (const auto& [calibrator, name] : names<Calibrator>) {
    std::vector<double> p;
    std::vector<std::uint8_t> labels;
    for (const Item& item : items) {
      if (item.fitted) continue;
      p.push_back(fitted.probability(item.evidence, calibrator));
      labels.push_back(is_positive(item) ? 1 : 0);
    }
    const Answers answers = answers_of(items.front(), p, labels);
    set.cuts[static_cast<std::size_t>(calibrator)] = risk_cuts_of(answers.confidence, answers.wrong);
  }
  return Calibration(std::move(set));
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
  if (has_direction(set.similarity)) set.direction_cuts = cuts_of_directions(pairs);
  return fit_items(pairs, std::move(set));
}

std::optional<Calibration> fit_hit_calibration(std::span<const LabelledHit> hits, CalibrationNumbers set) {
  set.of = CalibrationOf::hits;
  return fit_items(hits, std::move(set));
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
