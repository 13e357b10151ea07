#include "launcher/commands/damaged_trials.hpp"

#include <cstdio>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/visible_text.hpp"

namespace gausscse {

namespace {

void warn(const std::string& problem) {
  std::fprintf(stderr, "gausscse: warning: %s\n", visible_text(problem).c_str());
}

}  // namespace

int warn_of_damaged_trials(const StudyResults& study) {
  std::set<std::string> named;
  for (const StudyTrial& trial : study.trials) {
    if (trial.status != TrialStatus::damaged || !named.insert(trial.planned.identity).second) continue;
    warn(concat(title_of(trial.planned), " is left out: ", trial.problem));
  }
  return named.empty() ? 0 : 1;
}

int warn_of_damaged_files(const StudyResults& study) {
  const int of_trials = warn_of_damaged_trials(study);
  const std::string of_manifest = manifest_problem(study);
  if (of_manifest.empty()) return of_trials;
  warn(of_manifest);
  return 1;
}

}  // namespace gausscse
