#include "launcher/commands/damaged_trials.hpp"

#include <cstdio>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/visible_text.hpp"

namespace gausscse {

int warn_of_damaged_trials(const StudyResults& study) {
  std::set<std::string> named;
  for (const StudyTrial& trial : study.trials) {
    if (trial.status != TrialStatus::damaged || !named.insert(trial.planned.identity).second) continue;
    const std::string text = visible_text(concat(title_of(trial.planned), " is left out: ", trial.problem));
    std::fprintf(stderr, "gausscse: warning: %s\n", text.c_str());
  }
  return named.empty() ? 0 : 1;
}

}  // namespace gausscse
