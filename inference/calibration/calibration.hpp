#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/choice.hpp"
#include "inference/calibration/hit_features.hpp"
#include "inference/calibration/pair_features.hpp"
#include "inference/calibration/risk_cuts.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

/// Statement whose probability a calibration gives.
enum class CalibrationOf {
  pairs,  ///< the first sentence of a pair entails the second
  hits    ///< the best row that a search of a corpus finds for a query is right
};

template <>
inline constexpr NameTable<CalibrationOf, 2> names<CalibrationOf>{
    {{CalibrationOf::pairs, "pairs"}, {CalibrationOf::hits, "hits"}}};

/// Way from evidence to a probability.
enum class Calibrator {
  platt,     ///< logistic in the first column of PairFeatures
  logistic,  ///< logistic in all columns
  isotonic   ///< rising steps over the first column, with straight lines between them
};

template <>
inline constexpr NameTable<Calibrator, 3> names<Calibrator>{
    {{Calibrator::platt, "platt"}, {Calibrator::logistic, "logistic"}, {Calibrator::isotonic, "isotonic"}}};

/// P = 1 / (1 + exp(-(slope x + intercept))) of the first column x.
struct PlattFit {
  double slope = 0, intercept = 0;
};

/// P = 1 / (1 + exp(-(sum of weight (x - mean) / scale, plus intercept))).
struct LogisticFit {
  PairFeatures mean{}, scale{}, weight{};
  double intercept = 0;
};

/// Returns P for these columns.
double probability_of(const LogisticFit& fit, const PairFeatures& columns);

/// P is a straight line between two neighbouring points, and constant outside them.
struct IsotonicFit {
  std::vector<double> logit;        ///< values of the first column, rising
  std::vector<double> probability;  ///< not falling
};

/// Numbers of a calibration as its file has them.
struct CalibrationNumbers {
  CalibrationOf of = CalibrationOf::pairs;
  Similarity similarity = Similarity::per_dimension;
  std::string set;             ///< name of the set of pairs, or of queries
  std::string data_hash;       ///< XXH3-128 of its texts and labels
  std::string weights;         ///< hash of the weights of the model that was measured; empty: not known
  std::uint64_t rows = 0;      ///< rows of the corpus whose hits were measured; 0 for pairs
  std::uint64_t pairs = 0;     ///< labelled pairs, or queries, of the set
  std::uint64_t fitted = 0;    ///< pairs or queries that the calibrators were fitted on
  std::uint64_t entailed = 0;  ///< entailments, or right hits, among these
  PlattFit platt;
  LogisticFit logistic;
  IsotonicFit isotonic;
  /// By Calibrator, of the pairs or queries that were not fitted. The confidence of a hit is P that it is right.
  std::array<std::vector<RiskCut>, 3> cuts;
  /// Cuts of the direction: its confidence is |sim(second || first) - sim(first || second)| of pairs of which the first
  /// entails the second, not fitted either. Empty for a similarity without direction.
  std::vector<RiskCut> direction_cuts;
};

/// A calibration of one model: from similarities of a pair of sentences to the probability that the first entails the
/// second, and to the confidence from which on answers keep a promise. A calibration of hits gives the probability that
/// the best hit of a query is right.
///
///     const std::optional<Calibration> calibration = Calibration::of_model("runs/first/model");
///     const double p = calibration->probability({.forward = 0.81, .backward = 0.64, .log_var_difference = 0.2});
///     const std::optional<double> least = calibration->confidence_at_risk(0.05);
///     const bool answers = least && confidence_of(p) >= *least;  // else it abstains
class Calibration {
 public:
  explicit Calibration(CalibrationNumbers numbers) : numbers_(std::move(numbers)) {}

  /// Reads `calibration.json` in the folder of a model or of its run. Returns nothing where there is no such file.
  /// Throws as `read`.
  static std::optional<Calibration> of_model(const std::filesystem::path& folder);
  /// Reads a file. Throws InputError where it cannot be read or is not a calibration, with the place.
  static Calibration read(const std::filesystem::path& file);
  /// Reads the text of a file, which messages call `source`.
  static Calibration parse(std::string_view text, std::string_view source);

  /// Returns the text of its file, which `parse` reads to the same numbers.
  std::string text() const;

  /// Returns P(the first sentence entails the second).
  double probability(const PairEvidence& pair, Calibrator calibrator = Calibrator::platt) const;
  /// Returns P(the best hit is right), of a calibration of hits.
  double probability(const HitEvidence& hit, Calibrator calibrator = Calibrator::logistic) const;

  /// Returns the confidence, max(P, 1 - P), from which on at most `risk` of the answers are wrong; nothing where no
  /// threshold passes. An answer is that the first sentence entails the second where P >= 0.5, else that it does not.
  /// The promise fails with probability `risk_delta`, and holds for pairs like those of the set. A calibration of hits
  /// answers with the best hit where P is at least the confidence, and else abstains.
  std::optional<double> confidence_at_risk(double risk, Calibrator calibrator = Calibrator::platt) const;

  /// Returns a threshold for the difference of the two similarities. From it on the direction, of a pair that has one,
  /// is wrong at most at this risk. Nothing where no threshold passes, or the similarity has no direction.
  std::optional<double> difference_at_risk(double risk) const { return confidence_at(numbers_.direction_cuts, risk); }

  /// Returns the calibration with the hash of the weights that its similarities were measured with.
  Calibration with_weights(std::string hash) const;

  const CalibrationNumbers& numbers() const { return numbers_; }
  bool is_of_hits() const { return numbers_.of == CalibrationOf::hits; }
  /// Returns the calibrator that is used where none is named: `platt` for pairs, `logistic` for hits.
  Calibrator usual_calibrator() const { return is_of_hits() ? Calibrator::logistic : Calibrator::platt; }

 private:
  double probability_at(const PairFeatures& x, Calibrator calibrator) const;

  CalibrationNumbers numbers_;
};

/// Returns max(P, 1 - P).
inline double confidence_of(double probability) {
  return probability >= 0.5 ? probability : 1 - probability;
}

}  // namespace gausscse
