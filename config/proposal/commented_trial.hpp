#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"

namespace gausscse {

/// A key that a trial file names, and why it has its value there.
struct Remark {
  std::string key;  ///< full name of a key, or "tasks.NAME"
  std::string why;  ///< sentences; empty: the meaning of the key says it
};

/// Returns the trial as a file with these keys alone, and `heading` and the remarks as comments. The comment on a key
/// has its meaning and its other allowed values, as `train --keys` prints them:
///
///     # Recipe whose defaults apply; any key in the file overrides them. Allowed: released, paper, ... or liao.
///     # The data have contradicted hypotheses, which GaussCSE's loss compares with.
///     recipe: released
///
/// Paths are written as the trial has them; relative ones start from `folder`. All other keys must have the defaults of
/// the recipe. The text is read back; throws InputError where the reader refuses it, as for a file that is named twice.
std::string to_commented_yaml(const Trial& trial, const std::vector<Remark>& remarks,
                              const std::vector<std::string>& heading, const std::filesystem::path& folder);

}  // namespace gausscse
