#include "inference/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

constexpr std::size_t largest_calibration_file = std::size_t{64} << 20;

double sigmoid_of(double score) {
  return score >= 0 ? 1 / (1 + std::exp(-score)) : std::exp(score) / (1 + std::exp(score));
}

double isotonic_probability(const IsotonicFit& fit, double logit) {
  const auto above = std::upper_bound(fit.logit.begin(), fit.logit.end(), logit);
  if (above == fit.logit.begin()) return fit.probability.front();
  if (above == fit.logit.end()) return fit.probability.back();
  const auto right = static_cast<std::size_t>(above - fit.logit.begin());
  const double share = (logit - fit.logit[right - 1]) / (fit.logit[right] - fit.logit[right - 1]);
  return fit.probability[right - 1] + share * (fit.probability[right] - fit.probability[right - 1]);
}

}  // namespace

std::optional<Calibration> Calibration::of_model(const std::filesystem::path& folder) {
  const std::filesystem::path file = model_folder_of(folder) / calibration_file;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return read(file);
}

Calibration Calibration::read(const std::filesystem::path& file) {
  return parse(read_whole_file(file, largest_calibration_file), file.string());
}

Calibration Calibration::with_weights(std::string hash) const {
  Calibration calibration = *this;
  calibration.numbers_.weights = std::move(hash);
  return calibration;
}

double Calibration::probability(const PairEvidence& pair, Calibrator calibrator) const {
  return probability_at(features_of(pair, numbers_.similarity, numbers_.logistic.mean), calibrator);
}

double Calibration::probability(const HitEvidence& hit, Calibrator calibrator) const {
  return probability_at(features_of(hit, numbers_.similarity), calibrator);
}

double probability_of(const LogisticFit& fit, const PairFeatures& columns) {
  double score = fit.intercept;
  for (std::size_t i = 0; i < columns.size(); ++i) score += fit.weight[i] * ((columns[i] - fit.mean[i]) / fit.scale[i]);
  return sigmoid_of(score);
}

double Calibration::probability_at(const PairFeatures& x, Calibrator calibrator) const {
  switch (calibrator) {
    case Calibrator::platt:
      return sigmoid_of(numbers_.platt.slope * x[0] + numbers_.platt.intercept);
    case Calibrator::isotonic:
      return isotonic_probability(numbers_.isotonic, x[0]);
    case Calibrator::logistic:
      break;
  }
  return probability_of(numbers_.logistic, x);
}

std::optional<double> Calibration::confidence_at_risk(double risk, Calibrator calibrator) const {
  return confidence_at(numbers_.cuts[static_cast<std::size_t>(calibrator)], risk);
}

}  // namespace gausscse
