#pragma once

#include <cstdint>
#include <vector>

#include "model/objective/contrast_sets.hpp"

namespace gausscse::testing_support {

/// Hypotheses that an anchor is compared with, by number, its own among the positives.
struct AnchorSets {
  std::int64_t anchor;
  std::vector<std::int64_t> positives, negatives;
};

/// Returns the sets of all anchors of a batch, from the definition: all candidates, sorted by their Philox words, the
/// first taken.
std::vector<AnchorSets> brute_force_sets(const std::vector<std::int64_t>& labels,
                                         const std::vector<std::int64_t>& groups, const ContrastLimits& limits,
                                         const StepOfTraining& step);

}  // namespace gausscse::testing_support
