#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// All that a training needs to go on as if it had not stopped.
struct TrainingState {
  /// What the training was computed with; only an equal one may go on from it.
  std::string configuration;
  std::int64_t step = 0;        ///< optimizer steps that are done
  at::Tensor values;            ///< all parameters, as the parameter store has them
  at::Tensor moment1, moment2;  ///< AdamW's
  std::int64_t best_step = -1;  ///< -1: no evaluation yet
  NliMetrics best_dev;
  at::Tensor best_values;  ///< undefined where `best_step` is -1
  TrainingSeries training;
  DevCurve dev;
};

}  // namespace gausscse
