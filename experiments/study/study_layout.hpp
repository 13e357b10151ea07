#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"

/// Names in a results folder. docs/study_files.md describes them. Nothing in it is an absolute path: the folder may be
/// moved.
namespace gausscse::study_layout {

/// The manifest of the folder's last run, and its origin.
inline constexpr const char* manifest = "manifest.yaml";
/// Every trial of the study: stage, coordinates, seed, identity (see study_records.hpp).
inline constexpr const char* plan = "plan.json";
/// Done trials, a folder each, by identity.
inline constexpr const char* trials = "trials";
/// Folders of trials that are not done: IDENTITY.GENERATION, the generation being that of the claim they are held by.
inline constexpr const char* unfinished = "unfinished";
/// Claims of workers on trials: IDENTITY.GENERATION.
inline constexpr const char* claims = "claims";
/// Records of failures and their reasons: IDENTITY.json.
inline constexpr const char* failed = "failed";
/// Results that turned out damaged: IDENTITY.N, a folder each.
inline constexpr const char* set_aside = "set_aside";
/// Reports of `gausscse eval --json` that a user put there for rows of tables.
inline constexpr const char* reports = "reports";
/// Links to all results and a table of their metrics.
inline constexpr const char* index = "index.h5";

/// In the folder of a trial:
inline constexpr const char* trial_file = "trial.yaml";   ///< input of `gausscse train`; its output is "."
inline constexpr const char* result = "result.h5";        ///< result of `gausscse train`
inline constexpr const char* report = "report.json";      ///< its --json: the metrics of the state that is kept
inline constexpr const char* log = "log.txt";             ///< output of it and its launcher, all attempts
inline constexpr const char* progress = "progress.json";  ///< its --progress: where it is, while it runs
inline constexpr const char* error = "error.json";        ///< its --failure: why it failed, where it did
inline constexpr const char* lock = ".gausscse.lock";     ///< lock of `gausscse train`, while it runs
inline constexpr const char* attempts = "attempts.json";  ///< starts, hosts and times of a worker's attempts so far
inline constexpr const char* run_record = "run.json";  ///< record of how it ran (see study_records.hpp): written last
inline constexpr const char* model = "model";          ///< model of `gausscse train`
inline constexpr const char* checkpoints = "checkpoints";  ///< checkpoints of `gausscse train`, until it is done

inline std::filesystem::path done_folder(const std::filesystem::path& results, const std::string& identity) {
  return results / trials / identity;
}
inline std::filesystem::path failure_file(const std::filesystem::path& results, const std::string& identity) {
  return results / failed / (identity + ".json");
}
/// Returns "IDENTITY.GENERATION", of a claim and of an unfinished trial's folder.
inline std::string generation_name(const std::string& identity, long generation) {
  return concat(identity, ".", generation);
}

}  // namespace gausscse::study_layout
