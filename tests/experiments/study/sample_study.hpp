#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/manifest/planned_trial.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns a measurement of an NLI task of as many pairs, of which accuracy and direction by similarity get those right
/// that are 1, and direction by variance the others. Even pairs are entailments, odd ones neutral; the threshold is
/// 0.5.
Measurement nli_measurement(const std::string& task, const std::vector<std::uint8_t>& right);

/// Returns a result with this kept state and configuration.
RunResult result_of(std::vector<Measurement> tasks, const std::string& configuration = "");

/// Writes the files of a done trial: its result, report and run record, which took `seconds`.
void write_done_trial(const std::filesystem::path& results, const std::string& identity, const RunResult& result,
                      double seconds);

/// A results folder with a trial of each status:
///   choose 16  seed 0  done in 10.5 s; tasks dev (development), snli, mnli and sts12
///   choose 32  seed 0  failed
///   final ent    16  seed 0  the first one again
///   final ent    16  seed 1  done in 20 s, without mnli
///   final simcse 16  seed 0  running
///   final simcse 16  seed 1  interrupted
///   final simcse 16  seed 2  damaged
///   final simcse 16  seed 3  planned
///   last             seed 7  waiting
void write_sample_study(const std::filesystem::path& results);

/// Returns its trials, in order.
std::vector<PlannedTrial> sample_trials();

}  // namespace gausscse
