#pragma once

#include <stdexcept>

namespace gausscse {

/// Requests from outside to a running training, on any rank; looked at after each step.
class TrainingRequests {
 public:
  virtual ~TrainingRequests() = default;
  /// Returns whether a checkpoint was asked for since the last call.
  virtual bool take_checkpoint() = 0;
  /// Returns whether the training is to stop.
  virtual bool stop() = 0;
};

/// Ends a training that was asked to stop, on all ranks after the same step. The message says where it goes on from.
class TrainingStopped : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gausscse
