#pragma once

#include <span>
#include <vector>

#include "inference/pair_similarities.hpp"
#include "results/measurement.hpp"

namespace gausscse::mteb {

/// Returns the scores of an STS task under MTEB's names (mteb 2.26, `AbsTaskSTS`): of the model's own similarity
/// `pearson` and `spearman`, then with `cosine_`, `manhattan_` and `euclidean_` before these, distances being negated,
/// and `main_score`, which is `cosine_spearman`. `gold` are people's scores.
std::vector<Figure> sts_scores(const PairSimilarities& pairs, std::span<const double> gold);

}  // namespace gausscse::mteb
