#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/measurement.hpp"

namespace gausscse {

/// One state of the weights and what it scored.
struct StateResult {
  std::string state;      ///< "best", "last", "untrained" or "step_N"; empty: of no training
  std::int64_t step = 0;  ///< optimizer steps before it
  std::vector<Measurement> tasks;
};

/// Returns whether a state of this name, after `step` steps, is the one before the first step, kept as the best.
bool is_untrained_best(std::string_view state, std::int64_t step);

/// Remark that a reader of such a state needs.
inline constexpr const char* untrained_best_note = "the untrained state: no step gave a better one";

/// One value a step.
struct TrainingSeries {
  std::vector<std::int64_t> step;
  std::vector<double> loss, learning_rate, gradient_norm, examples_per_second, tokens_per_second;
};

/// Metrics that a task measured while training; step 0 is the untrained state.
struct Curve {
  struct Line {
    std::string figure;
    Unit unit = Unit::fraction;
    std::vector<double> values;  ///< one a step
  };

  std::string task;
  std::vector<std::int64_t> step;
  std::vector<Line> lines;
};

/// Adds a measurement after `step` steps to the curve of its task, or begins one. A metric that was measured at some
/// steps only, as by two versions of the program before and after a checkpoint, is NaN at the others.
void add_to_curves(const Measurement& measurement, std::int64_t step, std::vector<Curve>& curves);

/// Where a result comes from.
struct Provenance {
  std::string version, commit;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name and version
  std::vector<std::string> hosts;                              ///< host of each rank
  std::vector<std::string> devices;                            ///< device of each rank: "cpu", or a GPU's name
  std::vector<std::string> instruction_sets;                   ///< instruction set of the kernels, on each rank
  std::vector<std::string> bfloat16_instructions;  ///< instructions for products of bfloat16 factors, on each rank
  std::int64_t ranks = 1, threads = 1;             ///< threads a rank
  /// Inputs that the model was made from, and XXH3-128 of each
  std::vector<std::pair<std::string, std::string>> data_hashes;
  /// Every file that the trial reads, by its role ("model.backbone/config.json"), and XXH3-128 of it: with the
  /// configuration all that a study knows a trial by. Empty in files of earlier versions.
  std::vector<std::pair<std::string, std::string>> input_hashes;
};

/// All that a training run leaves in result.h5.
struct RunResult {
  std::string configuration;  ///< the resolved trial, as YAML
  Provenance provenance;
  TrainingSeries training;
  std::vector<Curve> curves;
  std::vector<StateResult> states;
};

}  // namespace gausscse
