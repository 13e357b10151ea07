#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/launcher/program.hpp"

namespace gausscse {

using Overrides = std::vector<std::string>;

/// A checkpoint after every step.
inline const Overrides every_step = {"training.checkpoint_every=1"};

/// Trains the project's trial on one thread into `output`.
ProgramRun train(const TinyProject& project, const std::string& output, const RunSettings& settings = {},
                 const Overrides& overrides = every_step);

/// Returns a signal before the k-th call of a kind, of those of tests/support/signal_at_call.cpp.
RunSettings with_signal_at(int signal, const std::string& kind, long k);
/// SIGKILL.
RunSettings with_kill_at(const std::string& kind, long k);
/// Returns settings that kill one of several ranks before its `all_reduce`-th all-reduce.
RunSettings with_kill_of_rank(int ranks, int rank, int all_reduce);
/// Returns another signal than the last of `settings`.
RunSettings with_signal(RunSettings settings, int signal);

/// Calls of each kind that an undisturbed run makes; it is left in the project's folder `whole`.
std::map<std::string, long> calls_of_a_run(const TinyProject& project, const Overrides& overrides = every_step);

/// Trains into `output` and kills the run while it writes the checkpoint of step 5, so that those of the steps 3 and 4
/// are left.
void kill_after_two_checkpoints(const TinyProject& project, const std::string& output);

/// Steps of the checkpoints in the folder of a run, rising.
std::vector<std::int64_t> checkpoints_of(const std::filesystem::path& run);
/// Returns the file of one of them.
std::filesystem::path checkpoint_of(const std::filesystem::path& run, std::int64_t step);

/// Optimizer steps before the best state of a finished run.
std::int64_t best_step_of(const std::filesystem::path& run);

/// Expects the results and the models of two runs to be the same, but for times and where they ran.
void expect_same_result(const std::filesystem::path& one, const std::filesystem::path& other);
/// The same, and the second run left nothing else.
void expect_same_run(const std::filesystem::path& one, const std::filesystem::path& other);

/// Trains once more into `output`, where a run was disturbed. Expects it to go on from the newest checkpoint there, or
/// to begin again where there is none. Where the result is in place it has nothing to do. It must end as the run in
/// `whole` did. Returns the step it went on from; 0 where it did not.
std::int64_t expect_the_undisturbed_end(const TinyProject& project, const std::string& output,
                                        const RunSettings& settings = {}, const Overrides& overrides = every_step);

}  // namespace gausscse
