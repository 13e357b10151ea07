#include "experiments/worker/identity_check.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

using Contents = std::vector<InputContent>;

const InputContent* find_role(const Contents& contents, const std::string& role) {
  return find_by(contents, &InputContent::role, role);
}

/// Returns the contents that a training recorded, without names of files.
Contents contents_of(const std::vector<std::pair<std::string, std::string>>& hashes) {
  Contents contents;
  for (const auto& [role, hash] : hashes) contents.push_back({role, {}, hash});
  return contents;
}

std::string shown_input(const InputContent& content) {
  return content.file.empty() ? content.role : concat(content.file.string(), " (", content.role, ")");
}

/// Returns the first file that is not the same in both, in words; empty where all are.
std::string difference_of(const Contents& planned, const Contents& read) {
  for (const InputContent& before : planned) {
    const InputContent* now = find_role(read, before.role);
    if (!now) return concat(shown_input(before), " existed when the trial was planned, and is now missing");
    if (now->hash != before.hash)
      return concat(shown_input(before), " had other content when the trial was planned (XXH3-128 ", before.hash,
                    ", now ", now->hash, ")");
  }
  for (const InputContent& now : read)
    if (!find_role(planned, now.role)) return concat(shown_input(now), " did not exist when the trial was planned");
  return "";
}

}  // namespace

void check_identity(const RunResult& result, const StudyPlanEntry& planned, const std::filesystem::path& folder) {
  const Trial trial = parse_trial(result.configuration, (folder / "result.h5").string(), folder);
  const Contents contents = contents_of(result.provenance.input_hashes);
  const std::string identity = trial_identity(trial, contents);
  if (identity == planned.planned.identity) return;
  const std::string difference = difference_of(planned.contents, contents);
  if (difference.empty())
    throw InputError(concat("its result is of the trial ", identity, ", which has other settings: move ",
                            folder.string(), " away and run the study again"));
  throw InputError(concat("the training read other files than the trial was planned with: ", difference,
                          ": run the study again, which plans with the present files (to use the old content, put it "
                          "back and add --retry-failed)"));
}

std::optional<std::string> changed_input(const StudyPlanEntry& planned) {
  std::string difference;
  try {
    const auto now = contents_of_inputs(*planned.trial, [](const auto& file) { return content_hash(file); });
    difference = difference_of(planned.contents, now);
  } catch (const InputError& error) {
    difference = error.what();
  }
  return difference.empty() ? std::nullopt : std::optional(difference);
}

namespace {

/// Returns the files of `now` that held something else, or were not there, before.
std::string replaced_files(const Contents& before, const Contents& now) {
  std::string files;
  for (const InputContent& content : now)
    if (const InputContent* earlier = find_role(before, content.role); !earlier || earlier->hash != content.hash)
      files += concat(files.empty() ? "" : ", ", shown_input(content));
  return files.empty() ? "files that are now missing" : files;
}

/// Identities of done trials that are not in the plan, by the contents that they were computed from.
std::map<std::vector<std::pair<std::string, std::string>>, std::set<std::string>> trials_beside_plan(
    const std::filesystem::path& results, const std::vector<StudyPlanEntry>& plan) {
  std::set<std::string> planned;
  for (const StudyPlanEntry& entry : plan) planned.insert(entry.planned.identity);
  std::map<std::vector<std::pair<std::string, std::string>>, std::set<std::string>> trials;
  for (const std::string& identity : names_in(results / study_layout::trials)) {
    if (planned.contains(identity)) continue;
    try {
      const std::filesystem::path file = study_layout::done_folder(results, identity) / study_layout::result;
      const RunResult result = read_result(file, Links::refused);
      if (!result.provenance.input_hashes.empty()) trials[result.provenance.input_hashes].insert(identity);
    } catch (const InputError&) {
      // A damaged result is of no use to anybody.
    }
  }
  return trials;
}

}  // namespace

std::vector<std::string> results_of_other_contents(const std::filesystem::path& results,
                                                   const std::vector<StudyPlanEntry>& plan) {
  std::map<std::string, std::size_t> results_by_files;
  for (const auto& [hashes, identities] : trials_beside_plan(results, plan)) {
    const Contents contents = contents_of(hashes);
    std::set<std::string> found;
    for (const StudyPlanEntry& entry : plan) {
      if (!entry.trial) continue;
      const std::string identity = trial_identity(*entry.trial, contents);
      if (identities.contains(identity) && found.insert(identity).second)
        ++results_by_files[replaced_files(contents, entry.contents)];
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [files, count] : results_by_files)
    warnings.push_back(concat(counted(count, "result"), " in ", results.string(), count == 1 ? " is" : " are",
                              " of other contents of ", files,
                              ": they do not count for this study; put the earlier contents back to use them"));
  return warnings;
}

}  // namespace gausscse
