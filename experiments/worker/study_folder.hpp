#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/done_trial.hpp"

namespace gausscse {

/// Throws InputError where `results` is there and is the folder of another study than `study`, the manifest's name, or
/// holds other things, or is no folder. Writes nothing.
void check_study_folder(const std::filesystem::path& results, const std::string& study,
                        const std::string& manifest_text);

/// Makes `results`, and the folders in it that workers write to. Throws WriteError.
void make_study_folders(const std::filesystem::path& results, const World& world = real_world());

/// State of a study's trials, by identity.
struct StudyState {
  std::map<std::string, RunRecord> done;
  std::map<std::string, std::string> damaged;  ///< done ones that were changed, with the reason
  /// Failed trials, with a name of the record, which changes when another one replaces it.
  std::map<std::string, std::string> failed;
  std::set<std::string> untrained;  ///< done ones that kept the state before their first step
  Doubts doubts;                    ///< about done ones
};

/// Brings `state` up to date: done trials that it knows already are not looked at again. Throws SystemError.
void look_at_study(const std::filesystem::path& results, StudyState& state, const World& world = real_world());

/// Returns the doubts about done trials, behind the one about a plan.json without a hash of its values, if it is there.
std::vector<std::string> doubts_about(const std::filesystem::path& results, std::vector<std::string> of_trials);

/// Returns the present state of one trial: done, damaged or failed. The files of a done one are read.
StudyState look_at_trial(const std::filesystem::path& results, const std::string& identity,
                         const World& world = real_world());

/// Returns the facts of a results folder that planning uses; metrics come from the reports of done trials. Failed ones
/// that are to be tried again, by identity, count as open.
EarlierTrials earlier_trials_in(const std::filesystem::path& results, const std::set<std::string>& retried = {});

/// Removes from a results folder the unfinished files of dead workers of this host that are next to trials. These are
/// temporary files of the study's own files and of records of failures, and folders that were taken from holders of
/// trials that are done.
void remove_leftovers_of_workers(const std::filesystem::path& results, const StudyState& state,
                                 const World& world = real_world());

}  // namespace gausscse
