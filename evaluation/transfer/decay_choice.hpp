#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace gausscse {

/// The weight decays that SentEval chooses from.
inline constexpr std::array<double, 4> decays{1e-5, 1e-4, 1e-3, 1e-2};

/// One of them, and how good it was, in percent.
struct DecayChoice {
  std::size_t decay = 0;  ///< place in `decays`
  double score = 0;
};

/// Returns the decay with the highest score, of equal ones the first. `scores` has one for each.
DecayChoice best_decay(const std::vector<double>& scores);

/// Returns the decay with the highest mean over folds, rounded as SentEval rounds it before it compares. `of_folds` has
/// for each fold the share of right answers of each decay.
DecayChoice best_decay_of_folds(std::span<const std::vector<double>> of_folds);

}  // namespace gausscse
