#pragma once

#include <cstdint>
#include <string>

#include "experiments/study/run_record.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse::testing_support {

/// A trial that measures one task of 50 steps' period, and another one at the end, and keeps the best state.
inline Trial trial_of(std::int64_t batch_size, std::int64_t epochs = 1, Loss loss = Loss::ent_con) {
  Trial trial;
  trial.model.backbone.path = "/models/minilm";
  trial.data.train = {"/data/train.csv"};
  trial.objective.loss = loss;
  trial.training.batch_size = batch_size;
  trial.training.epochs = epochs;
  trial.tasks = {{.name = "dev", .eval_every = 50, .of_kind = NliTaskSettings{.file = "/data/dev.jsonl"}},
                 {.name = "test", .eval_every = 0, .of_kind = NliTaskSettings{.file = "/data/test.jsonl"}}};
  trial.select = {"dev", "auprc"};
  trial.output = "/results";
  return trial;
}

/// What trials take on a machine that does not exist.
struct CostLaw {
  std::int64_t examples = 10'007;  ///< of an epoch, of which an incomplete last batch is left out
  double start = 3;
  double each_step = 0.02, each_example = 0.004;
  double dev = 1.5, test = 4;  ///< seconds of a measurement
  std::uint64_t model_bytes = 300'000'000, example_bytes = 2'000'000;
  std::uint64_t disk_bytes = 90'000'000;

  std::int64_t steps(const Trial& trial) const {
    if (trial.training.max_steps > 0) return trial.training.max_steps;
    return examples / trial.training.batch_size * trial.training.epochs;
  }
  double step(const Trial& trial) const {
    return each_step + each_example * static_cast<double>(trial.training.batch_size);
  }
  double seconds(const Trial& trial) const {
    const std::int64_t while_training = (steps(trial) + 49) / 50;
    return start + static_cast<double>(steps(trial)) * step(trial) + static_cast<double>(while_training) * dev +
           2 * (dev + test);
  }
  std::uint64_t memory(const Trial& trial) const {
    return model_bytes + example_bytes * static_cast<std::uint64_t>(trial.training.batch_size);
  }
  RunRecord run(const Trial& trial) const {
    RunRecord run;
    run.seconds = seconds(trial);
    run.steps = steps(trial);
    run.step_seconds = static_cast<double>(steps(trial)) * step(trial);
    run.peak_memory_bytes = memory(trial);
    run.disk_bytes = disk_bytes;
    return run;
  }
};

}  // namespace gausscse::testing_support
