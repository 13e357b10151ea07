#include "inference/calibration/risk_answers.hpp"

#include <cmath>
#include <utility>

namespace gausscse {

namespace {

constexpr const char* abstains = "abstains";

}  // namespace

RiskAnswers::RiskAnswers(Calibration calibration, Calibrator calibrator, double risk)
    : calibration_(std::move(calibration)), calibrator_(calibrator), risk_(risk) {
  if (risk_ == 0) return;
  confidence_ = calibration_.confidence_at_risk(risk_, calibrator_);
  difference_ = calibration_.difference_at_risk(risk_);
}

RiskAnswer RiskAnswers::answer(const PairEvidence& pair) const {
  RiskAnswer answer{.probability = calibration_.probability(pair, calibrator_)};
  if (risk_ == 0) return answer;
  answer.is_given = confidence_ && confidence_of(answer.probability) >= *confidence_;
  answer.verdict = !answer.is_given ? abstains : answer.is_entailed() ? "entailed" : "not entailed";
  if (!gives_directions()) return answer;
  const double difference = pair.forward - pair.backward;
  if (!difference_ || std::abs(difference) < *difference_)
    answer.direction = abstains;
  else
    answer.direction = difference > 0 ? "first entails second" : "second entails first";
  return answer;
}

}  // namespace gausscse
