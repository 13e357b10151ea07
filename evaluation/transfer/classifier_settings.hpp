#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/tasks/transfer_task_settings.hpp"

namespace gausscse {

/// Settings by which SentEval fits a linear classifier.
struct ClassifierSettings {
  bool adam = true;  ///< torch.optim's Adam, else its RMSprop, each with its default learning rate
  std::int32_t folds = 10;
  std::int64_t batch = 64;
  std::int64_t tenacity = 5;     ///< number of counts without improvement before a fit ends; see fit_side_by_side
  std::int64_t epoch_size = 4;   ///< passes between two looks at the development set
  std::int64_t max_epoch = 200;  ///< passes after which no further ones begin
  std::uint32_t seed = 1111;
};

/// Returns the settings of a mode (SimCSE's evaluation: `test` and `fasttest`).
ClassifierSettings classifier_settings(setting::TransferMode mode, std::uint32_t seed);

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
