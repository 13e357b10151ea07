#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/grid/probe_record.hpp"
#include "experiments/trial/trial.hpp"

namespace gausscse {

/// What a run of a probe is made for.
enum class ProbePurpose {
  warm_up,      ///< fills caches of tokens and files, as trials find them filled; its time does not count
  steps,        ///< steps of its batch size, without tasks
  measurement,  ///< one step, and all tasks once
  period        ///< one step, and once the tasks of one period, with those whose thresholds they take
};

struct ProbeRun {
  ProbePurpose purpose = ProbePurpose::steps;
  std::int64_t eval_every = 0;  ///< the period that it is of
  Trial trial;                  ///< its `output` is to be set
};

/// What such a run told.
struct ProbeOutcome {
  double seconds = 0;                ///< wall time
  std::vector<double> step_seconds;  ///< of each step
  std::uint64_t memory_bytes = 0;    ///< of all ranks together
  std::uint64_t disk_bytes = 0;
  std::int64_t examples = 0;  ///< of an epoch
};

/// The runs of a probe for trials like `trial` of these batch sizes (increasing), in the order in which they are made:
/// few, and of few steps.
std::vector<ProbeRun> probe_runs(const Trial& trial, std::span<const std::int64_t> batch_sizes);

/// Of outcomes of one run in several slots at once (one at least): the median of what takes time, and the memory and
/// disk that are enough for each.
ProbeOutcome middle_of(std::span<const ProbeOutcome> outcomes);

/// What they say together. `outcomes` are those of the runs. The first step of several does not count, as it makes
/// room for the others.
ProbeRecord probe_record_of(const Trial& trial, std::span<const ProbeRun> runs, std::span<const ProbeOutcome> outcomes,
                            std::int64_t ranks, std::int64_t threads);

/// The number of examples that a training's log tells. Throws InputError where it tells none.
std::int64_t examples_in_log(const std::string& log);

}  // namespace gausscse
