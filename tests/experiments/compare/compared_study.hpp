#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/experiments/study/sample_study.hpp"

namespace gausscse {

/// Returns a measurement of `pairs` pairs, of which these are wrong.
inline Measurement with_wrong(const std::string& task, const std::set<std::size_t>& wrong, std::size_t pairs = 12) {
  std::vector<std::uint8_t> right;
  for (std::size_t i = 0; i < pairs; ++i) right.push_back(!wrong.contains(i));
  return nli_measurement(task, right);
}

/// Returns a resolved trial.
inline std::string configuration(const std::string& loss, std::int64_t seed, const std::string& more = "") {
  return to_yaml(parse(with(concat("objective: {loss: ", loss, "}\ntraining: {seed: ", seed, more, "}"))));
}

/// A results folder with the stage `choose` (ent, batches of 16 and 32, seed 0) and the stage `final`:
///   system  seed  wrong of 12 pairs   right
///   ent     0     0 1 2 7 8 9           6
///   ent     1     0 3                  10
///   ent     2     5                    11
///   ent+con 0     2                    11
///   ent+con 1     0 4 6                 9
///   ent+con 3                          12
///   ent+con 4     planned
/// Of the seeds 0 and 1 ent alone has right 4 and 6; ent+con alone 0 1 7 8 9 and 3.
inline void write_compared_study(const std::filesystem::path& results) {
  std::filesystem::create_directories(results);
  PlanFile plan{"compared", "", {}};
  const auto add = [&](const std::string& stage, const std::string& system, const std::string& batch,
                       std::int64_t seed) {
    std::string identity = concat("t", plan.trials.size());
    plan.trials.push_back({stage, {{"system", system}, {"training.batch_size", batch}}, seed, identity, ""});
    return identity;
  };
  const auto done = [&](const std::string& stage, const std::string& system, const std::string& batch,
                        std::int64_t seed, const std::set<std::size_t>& wrong) {
    const std::string identity = add(stage, system, batch, seed);
    // Two systems differ neither in the places of their checkpoints nor in the number of pieces in which they embed.
    RunResult result = result_of({with_wrong("snli", wrong)},
                                 configuration(system, seed, concat(", micro_batch: ", plan.trials.size())));
    result.provenance.ranks = system == "ent" ? 1 : 2;
    result.provenance.data_hashes = {{"/base/train.jsonl", "aa"}};
    write_done_trial(results, identity, result, 1);
  };
  done("choose", "ent", "16", 0, {1});
  done("choose", "ent", "32", 0, {2});
  done("final", "ent", "16", 0, {0, 1, 2, 7, 8, 9});
  done("final", "ent", "16", 1, {0, 3});
  done("final", "ent", "16", 2, {5});
  done("final", "ent+con", "16", 0, {2});
  done("final", "ent+con", "16", 1, {0, 4, 6});
  done("final", "ent+con", "16", 3, {});
  add("final", "ent+con", "16", 4);
  write_plan(results / study_layout::plan, plan);
}

}  // namespace gausscse
