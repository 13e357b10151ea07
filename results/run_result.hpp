#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/measurement.hpp"

/// Names in a result file, for its writer and its reader. docs/result_files.md describes them.

namespace gausscse {

/// One state of the weights and its scores.
struct StateResult {
  std::string state;      ///< "best", "last", "untrained", "backbone" or "step_N"; empty: of no training
  std::int64_t step = 0;  ///< optimizer steps before it
  std::vector<Measurement> tasks;
  /// Metrics of the backbone in these tasks; of the state that a training kept, if its tasks measured the backbone.
  std::vector<Measurement> backbone = {};
};

/// Returns whether a state of this name, after `step` steps, is the one before the first step, kept as the best.
bool is_untrained_best(std::string_view state, std::int64_t step);

/// Remark that a reader of such a state needs.
inline constexpr const char* untrained_best_note = "the untrained state: no step gave a better one";

/// Name of the state that is the backbone as the training found it: the cosine of its pooled vectors, without a head.
inline constexpr const char* backbone_state = "backbone";

/// Gives the kept state of a result, its first, the metrics of its state of the backbone, if it has one.
void attach_backbone(std::vector<StateResult>& states);

/// One value a step.
struct TrainingSeries {
  std::vector<std::int64_t> step;
  std::vector<double> loss, learning_rate, gradient_norm, examples_per_second, tokens_per_second;
  /// Pairs of an anchor and a candidate that `objective.false_negatives` left out; empty where it is `keep`.
  std::vector<std::int64_t> left_out_pairs = {};
  bool operator==(const TrainingSeries&) const = default;
};

/// Metrics that a task measured while training; step 0 is the untrained state.
struct Curve {
  struct Line {
    std::string metric;
    Unit unit = Unit::fraction;
    std::vector<double> values;  ///< one a step
    bool operator==(const Line&) const = default;
  };

  std::string task;
  std::vector<std::int64_t> step;
  std::vector<Line> lines;
  bool operator==(const Curve&) const = default;
};

/// Adds a measurement after `step` steps to the curve of its task, or begins one. A metric that was measured at some
/// steps only, as by two versions of the program before and after a checkpoint, is NaN at the others.
void add_to_curves(const Measurement& measurement, std::int64_t step, std::vector<Curve>& curves);

/// Earlier run that a run continues, and the checkpoint that it began with.
struct ContinuedRun {
  std::string folder;                ///< output folder of the earlier run, at that time
  std::string run;                   ///< XXH3-128 of its configuration and inputs, as in the mark of that folder
  std::string checkpoint;            ///< XXH3-128 of the checkpoint's file
  std::int64_t step = 0;             ///< optimizer steps before the checkpoint
  std::vector<std::string> changes;  ///< keys that have other values: "training.max_steps: 20, now 40"
  bool operator==(const ContinuedRun&) const = default;
};

/// Origin of a result.
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
  std::optional<ContinuedRun> continued = {};  ///< nothing: the run began with its own initial weights
  /// Most memory that LibTorch took of rank 0's GPU, and memory of that GPU, in bytes; 0: it computed on a CPU
  std::int64_t gpu_memory_taken = 0, gpu_memory = 0;
  bool operator==(const Provenance&) const = default;
};

/// All that a training run leaves in result.h5.
struct RunResult {
  std::string configuration;  ///< the resolved trial, as YAML
  Provenance provenance;
  TrainingSeries training;
  /// Step after which `select.patience` ended the training, and why; empty where it had all its steps.
  std::string ended_early;
  /// Smallest micro-batch that a rank came to as memory was refused to it, and since when; empty: none was.
  std::string halved_micro_batch;
  std::vector<Curve> curves;
  std::vector<StateResult> states;
};

/// Returns the state of the weights with this name, or null.
const StateResult* find_state(const RunResult& result, std::string_view name);

/// Returns the state that a run keeps as its model: the best, or the last where none was selected. Throws InputError
/// where the result has no state.
const StateResult& kept_state(const RunResult& result);

/// Message of a result that lacks every state.
inline constexpr const char* no_state_text = "the result has no state: run the trial again";

inline constexpr const char* result_format = "gausscse-result/3";
/// Read as well: it has no state `untrained`, and no columns of numbers in float64 or int64, of texts or of vectors.
inline constexpr const char* result_format_before = "gausscse-result/2";
inline constexpr std::string_view result_format_of_any_version = "gausscse-result/";

inline constexpr const char* left_out_pairs_column = "left_out_pairs";

/// Calls `visit(name, member)` for each column, in order; `Series` is a TrainingSeries, const or not. Files may lack
/// the last column, which of a const series is visited only if it has values.
template <typename Series, typename Visit>
void for_each_column(Series& series, Visit visit) {
  visit("step", series.step);
  visit("loss", series.loss);
  visit("learning_rate", series.learning_rate);
  visit("gradient_norm", series.gradient_norm);
  visit("examples_per_second", series.examples_per_second);
  visit("tokens_per_second", series.tokens_per_second);
  if (!std::is_const_v<Series> || !series.left_out_pairs.empty()) visit(left_out_pairs_column, series.left_out_pairs);
}

/// Returns a sentence for the user where ranks on CPUs compute with different instructions, so that the last bits of
/// their results differ. It names rank 0's and those of the first rank that has others. Nothing where all have the
/// same, or compute on GPUs. Instructions for products of bfloat16 factors count where `bfloat16` says that there are
/// such products.
std::optional<std::string> different_instructions(const Provenance& provenance, bool bfloat16);

/// One line of where a result comes from.
struct ProvenanceRow {
  std::string name;                 ///< for programs: "threads", or that of a library
  std::string title;                ///< for people: "threads of a rank", "library HDF5"
  std::vector<std::string> values;  ///< one, or one of each rank
};

/// Returns the rows of version, commit, ranks, threads, hosts, devices, instructions and libraries, in this order.
/// Hashes of data are not among them.
std::vector<ProvenanceRow> provenance_rows(const Provenance& provenance);

}  // namespace gausscse
