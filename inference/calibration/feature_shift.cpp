#include "inference/calibration/feature_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "base/option_name.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Names of the columns of PairFeatures, for people.
constexpr std::array<const char*, std::tuple_size_v<PairFeatures>> pair_feature_names = {
    "the logit of sim(second||first)", "the logit of sim(first||second)", "the difference of mean log-variances",
    "the ln of the ratio of lengths", "the cosine of the means"};
/// Names of the columns of hit_features.hpp.
constexpr std::array<const char*, std::tuple_size_v<PairFeatures>> hit_feature_names = {
    "the root of the margin to the second hit", "the margin to the last hit", "the logit of sim(query||row)",
    "the logit of sim(row||query)", "the difference of mean log-variances"};

/// Returns whether the feature rises with the similarity of the two sentences.
bool is_similarity(std::size_t feature) {
  return feature == 0 || feature == 1 || feature == 4;
}

std::string shift_text(double shift) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f %s", std::abs(shift), shift > 0 ? "higher" : "lower");
  return text;
}

}  // namespace

double notable_shift(std::uint64_t pairs) {
  return std::max(0.25, 5 / std::sqrt(static_cast<double>(pairs)));
}

FeatureShift::FeatureShift(const Calibration& calibration, PairSelection selection)
    : fit_(calibration.numbers().logistic),
      similarity_(calibration.numbers().similarity),
      of_(calibration.numbers().of),
      set_(calibration.numbers().set),
      selection_(selection) {
  for (std::size_t i = 0; i < features; ++i) is_known_[i] = fit_.weight[i] != 0;
}

void FeatureShift::add(const PairEvidence& pair) {
  add_features(features_of(pair, similarity_));
  is_known_[3] = is_known_[3] && pair.log_length_ratio;
  is_known_[4] = is_known_[4] && pair.cosine;
}

void FeatureShift::add(const HitEvidence& hit) {
  add_features(features_of(hit, similarity_));
}

void FeatureShift::add_features(const PairFeatures& x) {
  for (std::size_t i = 0; i < features; ++i) sums_[i] += x[i];
  ++pairs_;
}

std::optional<double> FeatureShift::shift_of(std::size_t feature) const {
  if (!is_known_[feature]) return std::nullopt;
  const double shift = (sums_[feature] / static_cast<double>(pairs_) - fit_.mean[feature]) / fit_.scale[feature];
  if (selection_ == PairSelection::most_similar && is_similarity(feature) && shift > 0) return std::nullopt;
  return shift;
}

std::string FeatureShift::warning(std::string_view name) const {
  if (pairs_ == 0) return {};
  const bool of_hits = of_ == CalibrationOf::hits;
  const auto& feature_names = of_hits ? hit_feature_names : pair_feature_names;
  std::string shifts;
  for (std::size_t i = 0; i < features; ++i)
    if (const auto shift = shift_of(i); shift && std::abs(*shift) > notable_shift(pairs_))
      shifts += concat(shifts.empty() ? "" : ", of ", feature_names[i], " is ", shift_text(*shift));
  if (shifts.empty()) return {};
  return concat(name, ": ", counted(static_cast<std::int64_t>(pairs_), of_hits ? "best hit" : "pair"),
                " unlike those of ", quoted(set_),
                ", on which the calibration was fitted: in standard deviations there, the mean of ", shifts,
                "; probabilities may be wrong, and no risk is promised: fit a calibration on ",
                of_hits ? "queries and documents like these, with `gausscse eval MODEL --retrieval NAME=SET "
                        : "labelled pairs like these, with `gausscse eval MODEL --dev PAIRS ",
                "--save-calibration FILE`, and give ", option_with_value("calibration", "FILE"));
}

}  // namespace gausscse
