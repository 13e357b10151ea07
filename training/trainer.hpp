#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/available_memory.hpp"
#include "config/trial/trial.hpp"
#include "data/corpus/batch_plan.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "evaluation/task_list.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"
#include "results/run_result.hpp"
#include "training/checkpoint/checkpoint_writer.hpp"
#include "training/memory_refused.hpp"
#include "training/optimizer.hpp"
#include "training/prepared_batch.hpp"
#include "training/schedule.hpp"
#include "training/step_reports.hpp"
#include "training/training_observer.hpp"
#include "training/training_step.hpp"

namespace gausscse {

/// Objects that a training uses; all of them must outlive the trainer.
struct TrainerParts {
  SentenceEncoder& encoder;
  const Objective& objective;
  const TokenStore& train;
  const TaskList& tasks;
  Communicator& communicator;
  TrainingObserver& observer;
  TrainingRequests& requests;
  CheckpointWriter* checkpoints;  ///< on the one rank that writes them, else null
  /// Measures the backbone before the first step; empty: nobody asks for that. Collective.
  std::function<StateResult()> measure_backbone = {};
};

/// Settings of a training besides its parts.
struct TrainerSettings {
  Trial::Training training;
  Trial::Select select = {};
  std::int64_t patience_from = 0;  ///< step from which `select.patience` counts at the earliest
  ExampleOrder order = ExampleOrder::shuffled;
  ExampleBatches batches = ExampleBatches::any;
  setting::LastBatch last_batch = setting::LastBatch::drop;
  std::int64_t virtual_shards = 0;                         ///< number of shards, as in the step's settings
  CandidateExchange exchange = CandidateExchange::gather;  ///< likewise
  StepReports::Now now = StepReports::Clock::now;          ///< clock by which steps and checkpoints are timed
  /// Returns the memory that the processes of this host may still take, in bytes; 0: not known.
  std::function<std::int64_t()> available_memory = [] { return gausscse::available_memory(); };
};

/// One training: steps, measurements between them, the best state, all tasks at the end.
///
///     Trainer trainer(parts, {.training = trial.training, .select = trial.select});
///     if (checkpoint) trainer.restore(*checkpoint, result);  // the same state on all ranks
///     trainer.run(result);                                   // collective
///     if (communicator.is_root()) write_result("run/result.h5", result);
class Trainer {
 public:
  /// Throws InputError where the batch is larger than the data.
  Trainer(const TrainerParts& parts, const TrainerSettings& settings);

  std::int64_t total_steps() const { return schedule_.total_steps; }
  /// Returns the number of optimizer steps that are done.
  std::int64_t done_steps() const { return done_; }

  /// Goes on from a state, the same on all ranks, whose tensors are on the CPU; before `run`. Gives `result` its
  /// series, its curves and, until `run` has measured all states, the early ones.
  void restore(const TrainingState& state, RunResult& result);
  /// Returns the state that `restore` takes; the tensors are the trainer's own and change with the next step.
  TrainingState state(const RunResult& result) const;

  /// Trains, and measures the last state by all tasks, and the best one too where a metric selects it; rank 0 finds
  /// which one that is. Afterwards the encoder holds the state to be kept. `result` holds the series, the curves and
  /// the states (those two on rank 0 alone), behind them the untrained one as far as tasks keep it. Throws InputError
  /// if the loss or a gradient is not finite, with the step and the parameter, and if the metric to select by does not
  /// exist. Throws TrainingStopped when asked to stop, after a checkpoint, and MemoryRefused where memory is refused.
  void run(RunResult& result);

 private:
  /// Does the work of `run`, but for memory that is refused.
  void train_and_measure(RunResult& result);
  /// Returns the parts of the memory of the encoder's device, each with its use and size.
  std::vector<MemoryPart> memory() const;
  /// Examples of each rank.
  std::vector<std::int64_t> shares_of(std::int64_t batch) const;
  /// Returns the batch of a step; called by the thread of `prefetch_`.
  PreparedBatch prepare(std::int64_t number);
  /// Returns the batch of a step, prepared by that thread or, where memory was refused to it, here.
  PreparedBatch take_batch(std::int64_t number);
  TrainingStep::Result step(std::int64_t number, RunResult& result);
  /// Compares the memory that a step takes with the available memory on each rank, and halves the micro-batch until it
  /// fits on all of them. One that the trial names is kept, with a warning. Before the first step of a run. Collective.
  void fit_micro_batch(const PreparedBatch& batch, RunResult& result);
  /// Says so where memory was refused to a rank, which then halved its micro-batch.
  void report_memory(std::int64_t step, std::int64_t micro_batch, RunResult& result);
  /// Writes a checkpoint where one is due or asked for, and stops where that is. `is_whole` is false if the stop cut
  /// the last step off: the checkpoint is then the state before it.
  void after_step(const StepRequests& requests, bool is_whole, RunResult& result);
  /// Removes from `state` the measurements after as many steps as are done: a run that goes on measures again.
  void forget_measurements(TrainingState& state) const;
  /// Returns the name of the state now, as the early states have it.
  std::string name_of_state() const;
  bool checkpoint_is_due() const;
  /// Measures by the tasks that are due after the steps that are done.
  void measure_due(RunResult& result);
  /// Measures by the tasks for which `is_measured` returns true.
  std::vector<Measurement> measure(const std::function<bool(const ListedTask&)>& is_measured);
  /// Returns the best state, where one is selected, which the encoder holds afterwards, and the last.
  std::vector<StateResult> kept_states(StateResult last);
  /// Keeps the measurements that their tasks ask to be kept, of the untrained state or of one after some steps.
  void keep_early(const std::vector<Measurement>& measurements);
  /// Adds measurements during training, by the tasks for which `measured` returns true, to the curves, and keeps the
  /// state if it is the best so far.
  void take_measurements(const std::vector<Measurement>& measurements,
                         const std::function<bool(const ListedTask&)>& measured, RunResult& result);
  /// Returns true if the task is measured after as many steps as are done.
  bool is_due(const ListedTask& task) const;
  /// Returns whether the task that selects is due and the last `select.patience` measurements of it gave no better
  /// state. The same on all ranks.
  bool has_lost_patience() const;
  /// Returns whether rank 0 finds the state better than the best so far, whose metric it then is; all ranks learn of
  /// it.
  bool agree_on_best(const std::vector<Measurement>& measurements);
  bool selects() const { return !settings_.select.task.empty(); }
  void set_values(const at::Tensor& values);

  TrainerParts parts_;
  TrainerSettings settings_;
  std::optional<TextNumbers> texts_;  ///< nothing where neither batches nor the objective ask for them
  BatchPlan plan_;
  Schedule schedule_;
  Optimizer optimizer_;
  TrainingStep training_step_;
  StepReports reports_;
  std::vector<StateResult> early_;  ///< the backbone, the untrained state and those after some steps, on rank 0 alone
  at::Tensor best_values_;          ///< weights of the best state
  double best_metric_ = 0;
  std::int64_t best_step_ = -1;
  std::int64_t done_ = 0;
  bool micro_batches_told_ = false;
  std::int64_t halved_micro_batch_ = 0;             ///< see TrainingStep::Result
  StepReports::Clock::time_point last_checkpoint_;  ///< or the beginning
  BatchPrefetch prefetch_;                          ///< the last, as its thread uses the others
};

}  // namespace gausscse
