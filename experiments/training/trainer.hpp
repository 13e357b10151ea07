#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batch_plan.hpp"
#include "dist/communicator.hpp"
#include "experiments/checkpoint/checkpoint_writer.hpp"
#include "experiments/evaluation/test_set.hpp"
#include "experiments/results/run_result.hpp"
#include "experiments/training/optimizer.hpp"
#include "experiments/training/schedule.hpp"
#include "experiments/training/training_observer.hpp"
#include "experiments/training/training_requests.hpp"
#include "experiments/training/training_step.hpp"
#include "experiments/trial/trial.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// What a training stands on; all of it must outlive the trainer.
struct TrainerParts {
  SentenceEncoder& encoder;
  const Objective& objective;
  const TokenStore& train;
  const EvaluationTask& dev;
  std::span<const TestSet> tests;
  Communicator& communicator;
  TrainingObserver& observer;
  TrainingRequests& requests;
  CheckpointWriter* checkpoints;  ///< on the one rank that writes them, else null
};

/// Runs one training: steps, evaluations on dev, the best state, tests at the end.
class Trainer {
 public:
  /// `virtual_shards` is that of the step's settings. Throws InputError where the batch is larger than the data.
  Trainer(const TrainerParts& parts, const Trial::Training& settings, setting::LastBatch last_batch,
          std::int64_t virtual_shards);

  std::int64_t total_steps() const { return schedule_.total_steps; }
  /// Optimizer steps that are done.
  std::int64_t done_steps() const { return done_; }

  /// Goes on from a state, the same on all ranks; before `run`.
  void restore(const TrainingState& state, RunResult& result);
  /// What `restore` takes; the tensors are the trainer's own and change with the next step.
  TrainingState state(const RunResult& result) const;

  /// Trains, and evaluates the best and the last state on all tests. Rank 0 scores dev and decides which state is best.
  /// Afterwards the encoder holds the state that `keep` asks for, and `result` the series, the curve and the states
  /// (the tests' results on rank 0 alone). Throws InputError if the loss or a gradient
  /// is not finite, with the step and the parameter; TrainingStopped when asked to stop, after a checkpoint.
  void run(RunResult& result);

 private:
  /// Triples of each rank.
  std::vector<std::int64_t> shares_of(std::int64_t batch) const;
  StepRequests step(std::int64_t number, RunResult& result);
  /// Writes a checkpoint where one is due or asked for, and stops where that is.
  void after_step(const StepRequests& requests, const RunResult& result);
  bool checkpoint_is_due() const;
  NliMetrics evaluate_dev(std::int64_t step, RunResult& result);
  /// Sends rank 0's figures and its verdict whether they are the best so far to all ranks.
  bool agree_on_best(NliMetrics& metrics) const;
  StateResult evaluate_tests(const char* name, std::int64_t step, const NliMetrics& dev) const;
  void set_values(const at::Tensor& values);
  void check_finite(std::int64_t step, double loss, double gradient_norm);

  TrainerParts parts_;
  Trial::Training settings_;
  std::int64_t virtual_shards_;
  BatchPlan plan_;
  Schedule schedule_;
  Optimizer optimizer_;
  TrainingStep training_step_;
  at::Tensor best_values_;  ///< weights of the best state
  NliMetrics best_dev_;
  std::int64_t best_step_ = -1;
  std::int64_t done_ = 0;
  bool pieces_told_ = false;
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();
};

}  // namespace gausscse
