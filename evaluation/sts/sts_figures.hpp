#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/measurement.hpp"

namespace gausscse {

/// Scores of one subset's pairs, and what people gave them.
struct ScoredSubset {
  std::string name;
  std::vector<double> scores, gold;
};

/// Returns Spearman's correlations, under names that begin with `prefix`:
///
///   spearman         all pairs together, one correlation (`all`, as in SimCSE's tables)
///   spearman_mean    the mean of the subsets' (`mean`)
///   spearman_wmean   the same weighted by their pairs (`wmean`, as in SentEval's papers)
///   spearman.SUBSET  of each subset, where there are several
std::vector<Figure> sts_figures(const std::string& prefix, std::span<const ScoredSubset> subsets);

}  // namespace gausscse
