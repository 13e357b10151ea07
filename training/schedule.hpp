#pragma once

#include <cstdint>

#include "config/trial/trial_choices.hpp"

namespace gausscse {

/// Learning rates of a training.
struct Schedule {
  setting::Schedule kind = setting::Schedule::warmup_decay;
  double peak = 0;               ///< the set learning rate
  std::int64_t total_steps = 0;  ///< steps of the whole training
  double warmup_ratio = 0;       ///< share of steps that warm up, rounded down; not for `linear_increase`

  /// Returns the learning rate of step 0, 1, ..., total_steps - 1. The first step of each kind has rate 0 (unless there
  /// is no warm-up), as in the released program.
  double learning_rate(std::int64_t step) const;
};

}  // namespace gausscse
