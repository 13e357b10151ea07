#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inference/calibration/calibration.hpp"
#include "inference/calibration/feature_shift.hpp"
#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Returns the evidence on a hit of an entailment: that the row entails the query (`entails`), or for `entailed_by`
/// that the query entails the row. Neither the lengths nor the cosine are known.
PairEvidence hit_evidence(const SearchHit& hit, SearchDirection direction);

/// Returns the evidence that the first of a query's hits is right; nothing of fewer than two hits. The hits, the best
/// first, are `compared_hits` or all rows of the corpus; more are not used.
std::optional<HitEvidence> best_hit_evidence(std::span<const SearchHit> hits);

/// Probability of one hit, with its verdict.
struct HitAnswer {
  std::optional<double> probability;
  const char* verdict = nullptr;  ///< "found" or "abstains" of a best hit, at a risk; else null
};

/// Probabilities of the hits of a search, query by query, and the warnings that follow from all of them.
///
/// A calibration of pairs gives each hit the probability of the entailment that was searched for, of `both` the smaller
/// one. A calibration of hits gives the best hit of a query the probability that it is right, and the other hits none.
///
///     HitAnswers answers(calibration, SearchDirection::entails, std::nullopt, 0.05);
///     TopRows search(queries, similarity, SearchDirection::entails, answers.hits_for(top), threads);
///     ...
///     for (const std::vector<SearchHit>& hits : search.hits()) print(hits, answers.answer(hits));
///     for (const std::string& text : answers.warnings("claims.txt", rows)) warn(text);
class HitAnswers {
 public:
  /// Without a calibrator it is the calibration's usual one. A risk of 0: no verdicts. Throws InputError for a risk
  /// with a calibration of pairs, and for one of hits in another direction than `entails` where the similarity has
  /// directions.
  HitAnswers(Calibration calibration, SearchDirection direction, std::optional<Calibrator> calibrator, double risk);

  /// Returns the number of hits that a search must find for each query, of which `top` are shown.
  std::size_t hits_for(std::size_t top) const;

  /// Returns the answer for each hit of one query, and counts them for the warnings.
  std::vector<HitAnswer> answer(std::span<const SearchHit> hits);

  /// Returns messages on hits of queries, called `name`, that are unlike those of the calibration, and on a corpus
  /// whose number of rows differs from that of a calibration of hits by a factor over 2.
  std::vector<std::string> warnings(std::string_view name, std::uint64_t rows) const;

  const Calibration& calibration() const { return calibration_; }
  Calibrator calibrator() const { return calibrator_; }
  double risk() const { return risk_; }
  /// Returns the least P of an answer; nothing where every query abstains.
  std::optional<double> confidence() const { return confidence_; }
  /// Returns the number of queries whose verdict is "found".
  std::uint64_t found() const { return found_; }

 private:
  double pair_probability(const SearchHit& hit) const;

  Calibration calibration_;
  SearchDirection direction_;
  Calibrator calibrator_;
  double risk_;
  std::optional<double> confidence_;
  FeatureShift shift_;
  std::uint64_t found_ = 0;
};

}  // namespace gausscse
