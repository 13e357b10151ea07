#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/nli/nli_pairs.hpp"

namespace gausscse {

/// Returns the probability of entailment of the pairs `indexes` by a logistic regression over two columns: the cosine
/// of each pair of the set and the log ratio of its lengths. It is fitted crosswise on the halves of
/// `NliPairs::fitted`, which share no premise: a pair has the probability by the regression that was fitted on the
/// other half of `indexes`. Empty where a half lacks entailments or other pairs. `entailed` has 0 or 1 for each of
/// `indexes`.
std::vector<double> length_baseline(const NliPairs& pairs, std::span<const float> cosine,
                                    std::span<const std::size_t> indexes, std::span<const std::uint8_t> entailed);

}  // namespace gausscse
