#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/schema/yaml_node.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_identity.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/planned_trial.hpp"

namespace gausscse {

/// Returns the identity of a trial as 32 hexadecimal digits: XXH3-128 of its canonical configuration and of the content
/// of every file that it reads (`contents_of_inputs`), the backbone's included. Equal trials have equal identities
/// wherever their files lie.
std::string trial_identity(const Trial& trial, const std::vector<InputContent>& contents);

/// Returns a hash function that hashes each file once in the life of the object. A plan is made by one of these, so
/// that all of its trials are of one moment. The inputs that a training has read are compared with it when a trial is
/// committed.
ContentHash remembered_content_hash();

/// A trial of a study, ready to be run.
struct StudyPlanEntry {
  PlannedTrial planned;
  std::optional<Trial> trial;           ///< nothing while it waits; its `output` is to be set
  std::vector<InputContent> contents;   ///< contents of the files that it reads; its identity is made of them
  std::filesystem::path missing_input;  ///< missing file that a trial waits for; else empty
  std::string missing_advice = {};      ///< advice on downloading it, for the end of a message; may be empty
};

/// Knowledge of trials that were planned before: the metric of a done one (NaN where it has none), nothing for one that
/// is not done.
struct EarlierTrials {
  std::function<std::optional<double>(const PlannedTrial& trial, const std::string& metric)> metric;
  std::function<bool(const PlannedTrial& trial)> failed;
};

/// Returns all trials of a study, in the manifest's order: stages, points of the grid with the last axis running
/// fastest, seeds. A stage with `best_of` has its trials waiting until those that they are chosen from are done; a
/// trial that reads a file or folder that is not there waits for that. Throws InputError that lists every problem.
/// These are faults of a trial, with its place in the manifest, two trials with one identity, a metric of `best_of`
/// that a done trial does not have, and missing files where no trial has all that it reads.
std::vector<StudyPlanEntry> plan_study(const Manifest& manifest, const EarlierTrials& earlier,
                                       const ContentHash& content_hash = remembered_content_hash());

/// Adds the problems of a manifest's trials and of the metrics that it names; no file is looked at. `of_part`: its
/// trials may lack keys, because the manifest has problems with their axes.
void add_problems_of_trials(const Manifest& manifest, bool of_part, ProblemList& problems);

}  // namespace gausscse
