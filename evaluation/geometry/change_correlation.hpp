#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "evaluation/geometry/self_similarity_change.hpp"

namespace gausscse {

/// Correlation of the changes that training made in two pairs of models (the isotropy paper's figure 24).
struct ChangeCorrelation {
  static constexpr std::size_t least = 4;  ///< tokens that the first correlation is over

  std::string with;              ///< the other pair's report
  std::vector<double> by_count;  ///< over the first 4 common tokens, the first 5, and so on to all of them
};

/// Returns the changes in a report of `gausscse geometry --before --json`. Throws InputError where the file is none.
std::vector<TokenChange> read_changes(const std::filesystem::path& report);

/// Correlates `changes` with those of another report. Throws InputError where fewer than four tokens are in both.
ChangeCorrelation correlate_changes(const std::vector<TokenChange>& changes, const std::string& with,
                                    const std::vector<TokenChange>& others);

/// Returns a line for each of some numbers of tokens, and for that with the highest correlation.
std::string correlation_table(const ChangeCorrelation& correlation);

}  // namespace gausscse
