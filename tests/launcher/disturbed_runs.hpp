#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/launcher/program.hpp"

namespace gausscse::testing_support {

/// Trains the project's trial on one thread into `output`; by default with a checkpoint after every step.
ProgramRun train(const TinyProject& project, const std::string& output, const RunSettings& settings = {},
                 const std::vector<std::string>& overrides = {"training.checkpoint_every=1"});

/// A signal, SIGKILL by default, at the `call`-th call that tests/support/kill_at_call.cpp counts.
RunSettings with_kill(long call);
/// The same before the `all_reduce`-th all-reduce of one of several ranks.
RunSettings with_kill_of_rank(int ranks, int rank, int all_reduce);
/// Another signal than SIGKILL.
RunSettings with_signal(RunSettings settings, int signal);

/// Calls that an undisturbed run makes; it is left in the project's folder `whole`.
long calls_of_a_run(const TinyProject& project,
                    const std::vector<std::string>& overrides = {"training.checkpoint_every=1"});

/// Leaves a run in `output` that was killed when two checkpoints were there, and an undisturbed one in `whole`.
void kill_after_two_checkpoints(const TinyProject& project, const std::string& output);

/// Optimizer steps before the best state of a finished run.
std::int64_t best_step_of(const std::filesystem::path& run);

/// Expects the results and the models of two runs to be the same, but for times and where they ran.
void expect_same_result(const std::filesystem::path& one, const std::filesystem::path& other);
/// The same, and that the second run left nothing else.
void expect_same_run(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace gausscse::testing_support
