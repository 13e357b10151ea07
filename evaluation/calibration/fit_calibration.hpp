#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/calibration/calibration.hpp"

namespace gausscse {

/// A pair of sentences with its label.
struct LabelledEvidence {
  PairEvidence evidence;
  bool entailed = false;  ///< true if the first sentence entails the second
  bool directed = false;  ///< true if it is entailed in this direction alone, as far as the set says
  bool fitted = false;    ///< true if the calibrators are fitted on it, false if the cuts are
};

/// Best hit of a query with its label.
struct LabelledHit {
  HitEvidence evidence;
  bool right = false;   ///< true if the best hit is one that the query should find
  bool fitted = false;  ///< true if the calibrators are fitted on it, false if the cuts are
};

/// Fits Platt's calibrator to logits of similarities (Platt 1999): the targets of the n+ entailments are
/// (n+ + 1) / (n+ + 2), those of the n- others 1 / (n- + 2).
PlattFit fit_platt(std::span<const double> logits, std::span<const std::uint8_t> entailed);

/// Strength of the logistic calibrator's penalty, next to the mean of the losses.
inline constexpr double logistic_l2 = 1e-4;

/// Fits the logistic calibrator on columns that are brought to mean 0 and standard deviation 1; a constant column is
/// only brought to mean 0. Columns must have all their values.
LogisticFit fit_logistic(std::span<const PairFeatures> columns, std::span<const std::uint8_t> entailed);

/// Fits the isotonic calibrator: pool adjacent violators, where pairs of equal logits are one point.
IsotonicFit fit_isotonic(std::span<const double> logits, std::span<const std::uint8_t> entailed);

/// Fits all calibrators on the pairs that are `fitted`, and counts the cuts on the others. Returns nothing unless there
/// are entailments and other pairs among the fitted ones. Members of `set` that describe it are kept.
std::optional<Calibration> fit_calibration(std::span<const LabelledEvidence> pairs, CalibrationNumbers set);

/// Fits all calibrators of hits on those that are `fitted`, and counts the cuts on the others: an answer is wrong where
/// the best hit is, and its confidence is P. Returns nothing unless there are right and wrong hits among the fitted
/// ones. Members of `set` that describe it are kept.
std::optional<Calibration> fit_hit_calibration(std::span<const LabelledHit> hits, CalibrationNumbers set);

/// Returns for each pair whether the calibrators are fitted on it: pairs of one premise are together, and every second
/// premise, in the order of the XXH3-128 of its text, is fitted. So the division depends on the texts alone. A query of
/// a retrieval set counts as a premise.
std::vector<bool> fitted_pairs(std::span<const std::string> premise_of_number, std::span<const std::uint32_t> premise);

}  // namespace gausscse
