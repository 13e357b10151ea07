#pragma once

#include <cstdint>
#include <vector>

#include "model/choices.hpp"
#include "model/objective/contrast_sets.hpp"
#include "tests/model/objective/labelled_batch.hpp"

namespace gausscse {

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

/// Elements of the parameters of a classifier of a LabelledBatch's pairs.
constexpr std::int64_t classifier_parameters = 7 * 3 * LabelledBatch::width + 7 + 3 * 7 + 3;

/// Returns the cross entropy of one pair against a label, by the classifier with the batch's parameters, in plain
/// loops.
double cross_entropy_of_pair(const LabelledBatch& batch, ClassifierActivation activation, std::int64_t premise,
                             std::int64_t hypothesis, std::int64_t label);

}  // namespace gausscse
