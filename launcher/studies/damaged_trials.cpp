#include "launcher/studies/damaged_trials.hpp"

#include <filesystem>
#include <set>
#include <string>

#include "base/error.hpp"
#include "experiments/study/done_trial.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace fs = std::filesystem;

int warn_of_damaged_trials(const StudyResults& study) {
  for (const std::string& doubt : study.doubts) print_warning(doubt);
  std::set<std::string> named;
  std::set<fs::path> unprotected;  // a trial of two stages is listed twice
  for (const StudyTrial& trial : study.trials) {
    unprotected.insert(trial.unprotected.begin(), trial.unprotected.end());
    if (trial.status != TrialStatus::damaged || !named.insert(trial.planned.identity).second) continue;
    print_warning(concat(title_of(trial.planned), " is left out: ", trial.problem));
  }
  if (const std::string warning = warning_of_unprotected({unprotected.begin(), unprotected.end()}); !warning.empty())
    print_warning(warning);
  return named.empty() ? 0 : 1;
}

int warn_of_damaged_files(const StudyResults& study) {
  const int of_trials = warn_of_damaged_trials(study);
  const std::string of_manifest = manifest_problem(study);
  if (of_manifest.empty()) return of_trials;
  print_warning(of_manifest);
  return 1;
}

}  // namespace gausscse
