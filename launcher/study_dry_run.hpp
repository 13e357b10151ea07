#pragma once

#include <functional>
#include <string>

#include "experiments/grid/run_study.hpp"

namespace gausscse {

/// How a dry run is made, beside what a worker would be asked for.
struct DryRunOptions {
  StudyRunOptions study;
  bool all = false;     ///< list done trials, too
  bool probe = true;    ///< run short trainings where nothing tells what trials take
  std::string version;  ///< of the program, with its commit
};

/// What a study would do and take, as text for people; nothing in its results folder is written, which need not be
/// there. Notes, such as that a probe is being made, go to `note`. Throws InputError as `run_study` does.
std::string dry_run_of_study(const DryRunOptions& options, const std::function<void(const std::string&)>& note);

}  // namespace gausscse
