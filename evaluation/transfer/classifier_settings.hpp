#pragma once

#include <cstdint>

#include "config/trial/trial_choices.hpp"

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

}  // namespace gausscse
