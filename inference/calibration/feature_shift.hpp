#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "inference/calibration/calibration.hpp"

namespace gausscse {

/// Returns the shift of a feature's mean over so many pairs from which on a warning names it. It is in standard
/// deviations of the pairs of a calibration: 0.25, and for under 400 pairs 5 / sqrt(pairs). See docs/probabilities.md
/// for the reasons.
double notable_shift(std::uint64_t pairs);

/// Origin of pairs: given by a user, or the most similar rows of a corpus, which a search found. A calibration of hits
/// was fitted on such rows, so that its own hits count as given.
enum class PairSelection { given, most_similar };

/// Comparison of pairs with those that a calibration was fitted on, feature by feature: its logistic calibrator has the
/// means and standard deviations there. A feature without a weight in it, such as a constant one, and one that is not
/// known of every pair are not compared. The most similar rows of a corpus are more similar than the pairs of any set,
/// so that only lower similarities of them count.
///
///     FeatureShift shift(calibration, PairSelection::given);
///     for (const PairEvidence& pair : pairs) shift.add(pair);
///     if (const std::string text = shift.warning("pairs.tsv"); !text.empty()) warn(text);
class FeatureShift {
 public:
  FeatureShift(const Calibration& calibration, PairSelection selection);

  void add(const PairEvidence& pair);
  /// Adds the best hit of a query, to compare with those of a calibration of hits.
  void add(const HitEvidence& hit);

  /// Returns a message on pairs or hits, called `name`, of which a feature's mean is shifted by more than
  /// `notable_shift`: with the features, their shifts and a remedy. Empty where none is, or there are no pairs.
  std::string warning(std::string_view name) const;

 private:
  static constexpr std::size_t features = std::tuple_size_v<PairFeatures>;

  void add_features(const PairFeatures& x);

  /// Returns the mean's shift in standard deviations; nothing where the feature is not compared.
  std::optional<double> shift_of(std::size_t feature) const;

  LogisticFit fit_;
  Similarity similarity_;
  CalibrationOf of_;
  std::string set_;
  PairSelection selection_;
  std::uint64_t pairs_ = 0;
  PairFeatures sums_{};
  std::array<bool, features> is_known_;
};

}  // namespace gausscse
