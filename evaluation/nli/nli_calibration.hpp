#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/nli/nli_metrics.hpp"
#include "evaluation/nli/nli_pairs.hpp"
#include "inference/calibration/calibration.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Returns the evidence of each pair that its premise entails its hypothesis; `dimension` is that of the Gaussians.
std::vector<PairEvidence> evidence_of(const NliPairs& pairs, const NliScores& scores, std::int64_t dimension);

/// Fits a calibration on the pairs that are counted, those of the fitted half of premises. Returns nothing where it
/// lacks entailments or other pairs.
std::optional<Calibration> calibration_of(const NliPairs& pairs, const std::vector<PairEvidence>& evidence,
                                          const NliScoring& scoring, Similarity similarity, const std::string& set);

/// Probabilities of pairs by a calibration, and the metrics of them.
class NliProbabilities {
 public:
  /// With `own` the calibration was fitted on these pairs: the metrics leave out the ones that it was fitted on.
  NliProbabilities(const Calibration& calibration, bool own, const NliPairs& pairs,
                   const std::vector<PairEvidence>& evidence, const NliScoring& scoring);

  /// Returns for each of the calibrators C (platt, logistic, isotonic), as details under its name:
  ///
  ///   C.auprc, C.accuracy        area under the precision-recall curve of P, by the scoring's `auprc`, NaN without an
  ///                              entailment; share of pairs whose answer, "entailed" where P >= 0.5, is right
  ///   C.nll, C.brier, C.ece      probability_metrics.hpp has the formulas of these and the next
  ///   C.ece_debiased, C.ece_low, C.ece_high    without its bias, and an interval of 95 % by draws of `cluster`
  ///   C.ece_null                 of a calibrated model on as many pairs
  ///   C.aurc                     area under risk and coverage
  ///   C.coverage_R               R = 5, 10: largest share of pairs that is answered with an error of R % at most,
  ///                              by these pairs' own labels
  ///   C.answered_R, C.error_R    share of pairs that the calibration answers at risk R %, and the observed error among
  ///                              them; NaN where none is answered
  ///
  /// For a similarity with directions there are also direction_sim.answered_R and direction_sim.error_R of the directed
  /// pairs whose similarities differ enough for risk R %. Empty where no pair is left.
  std::vector<Metric> metrics(int threads) const;

  /// Returns the columns `probability`, by Platt's calibrator, of every pair, and `calibrated_on`, 1 for pairs that the
  /// calibration was fitted on.
  std::vector<Column> columns() const;

 private:
  double area_of(const std::vector<double>& p, const std::vector<std::uint8_t>& entailed) const;
  void add_direction(std::vector<Metric>& metrics) const;

  const Calibration& calibration_;
  setting::Auprc auprc_;
  const NliPairs& pairs_;
  const std::vector<PairEvidence>& evidence_;
  std::vector<std::uint8_t> calibrated_on_;
  std::vector<std::size_t> measured_;  ///< numbers of the pairs behind the metrics
};

/// Returns whether the first sentence entails the second and, as far as the set says, not the other way round.
bool entails_one_way(const NliPairs& pairs, std::size_t pair);

}  // namespace gausscse
