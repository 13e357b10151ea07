#pragma once

#include <optional>

#include "inference/calibration/calibration.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

/// Answer to "does the first sentence entail the second".
struct RiskAnswer {
  double probability = 0;           ///< P(the first entails the second)
  bool is_given = true;             ///< false: it abstains
  const char* verdict = nullptr;    ///< "entailed", "not entailed" or "abstains"; null without a risk
  const char* direction = nullptr;  ///< "first entails second", "second entails first" or "abstains"; null without a
                                    ///< risk and for a similarity without direction

  bool is_entailed() const { return probability >= 0.5; }
};

/// Answers on pairs that are wrong at most at a given risk, or abstain.
///
///     const RiskAnswers answers(*Calibration::of_model("runs/first/model"), Calibrator::platt, 0.05);
///     const char* verdict = answers.answer({.forward = 0.81, .backward = 0.64}).verdict;  // such as "entailed"
class RiskAnswers {
 public:
  /// A risk of 0: probabilities alone, without verdicts.
  RiskAnswers(Calibration calibration, Calibrator calibrator, double risk);

  RiskAnswer answer(const PairEvidence& pair) const;

  const Calibration& calibration() const { return calibration_; }
  Calibrator calibrator() const { return calibrator_; }
  double risk() const { return risk_; }
  /// Returns the confidence from which on it answers; nothing where it always abstains.
  std::optional<double> confidence() const { return confidence_; }
  /// Returns the difference of similarities from which on it names a direction; nothing where it names none.
  std::optional<double> difference() const { return difference_; }
  /// Returns whether answers have a direction.
  bool gives_directions() const { return risk_ > 0 && has_direction(calibration_.numbers().similarity); }

 private:
  Calibration calibration_;
  Calibrator calibrator_;
  double risk_;
  std::optional<double> confidence_, difference_;
};

}  // namespace gausscse
