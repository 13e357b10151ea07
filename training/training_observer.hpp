#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "model/choices.hpp"
#include "results/measurement.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Numbers of a finished step.
struct StepReport {
  std::int64_t step = 0;  ///< from 0
  std::int64_t total_steps = 0;
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double seconds = 0;
  double examples_per_second = 0;
  double tokens_per_second = 0;
};

/// Watches a training. Called on every rank unless said otherwise, from the training's own thread.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  /// Takes note that all files to be written have been checked, before any work: the observer may write its files from
  /// now on.
  virtual void on_outputs_checked() {}
  /// Receives the steps that are done already where a training goes on from a checkpoint, before its first step. It
  /// gets their series and curves, and states that were measured early, such as the backbone.
  virtual void on_resumed(const RunResult& /*done*/, std::int64_t /*total_steps*/) {}
  /// Receives a text for users who look closely.
  virtual void on_detail(const std::string& text) = 0;
  virtual void on_note(const std::string& text) = 0;
  virtual void on_warning(const std::string& text) = 0;
  /// Receives the tasks' measurements of the backbone as it is, without a head. Metrics are on rank 0 alone. `pooling`
  /// is that of its encoder; nothing where vectors are given.
  virtual void on_backbone(const StateResult& /*backbone*/, std::optional<PoolingKind> /*pooling*/) {}
  /// Receives the number of the training data's sentences that have gone through an encoder that is not trained.
  virtual void on_embedded(std::size_t /*done*/, std::size_t /*sentences*/) {}
  virtual void on_step(const StepReport& report) = 0;
  /// Receives the place and reason of an end before the last step; afterwards the training only measures and writes.
  virtual void on_early_end(const std::string& where_and_why) { on_note("the training ends early " + where_and_why); }
  /// Receives why the last checkpoint is lost, as `problem`; empty where it was written. After each step, on rank 0
  /// alone.
  virtual void on_checkpoint_state(const std::string& /*problem*/) {}
  /// Receives a measurement after `step` optimizer steps. `selecting` is the metric that states are selected by, or
  /// null where it is not the measured task's; `best` is true if it made this the best state so far. On rank 0 alone.
  virtual void on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting,
                              bool best) = 0;
};

/// Requests from outside to a running training, on any rank; looked at after each step and between its micro-batches.
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
