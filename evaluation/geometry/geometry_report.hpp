#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/geometry/change_correlation.hpp"
#include "evaluation/geometry/token_geometry.hpp"

namespace gausscse {

/// Calls `take` with the name and the value of each metric.
template <typename Take>
void for_each_metric(const LayerGeometry& layer, const Take& take) {
  take("anisotropy", layer.anisotropy);
  take("sampled_anisotropy", layer.sampled_anisotropy);
  take("self_similarity", layer.self_similarity);
  take("intra_sentence_similarity", layer.intra_sentence_similarity);
  take("adjusted_self_similarity", layer.adjusted_self_similarity);
  take("adjusted_intra_sentence_similarity", layer.adjusted_intra_sentence_similarity);
  take("norm", layer.norm);
  take("norm_of_sentences", layer.norm_of_sentences);
}

/// Sums of the first one, two and three shares; empty where there are none.
std::vector<double> shares_of_top(const RogueDimensions& rogue);

/// Returns the metrics as aligned text: a table of the layers, then a line or two on each further metric.
std::string geometry_table(const TokenGeometry& geometry);

/// Geometry of another model, with which `geometry` is compared.
struct ComparedGeometry {
  std::string before;  ///< the other model's folder
  SelfSimilarityChange change;
  std::optional<ChangeCorrelation> correlation = {};  ///< with the changes of another pair of models
};

/// Returns the tokens whose self-similarity fell most, the lowest change first, and those where it grew most, the
/// highest first: ten each.
std::string change_table(const ComparedGeometry& compared);

/// Returns the geometry as JSON: {"format", "kind": "geometry", "sentences", "tokens", "longest", "ids", "layers":
/// [{...}], "rogue": {"share_of_top": [of one, two, three], "dimensions_reaching": {"0.1", "0.2", "0.5"}, "top": [ten
/// dimensions]}, "rogue_over_tokens": {...}, "informativity": [{"removed", "mean", "deviation"}]}; layers have the
/// names of LayerGeometry. A value that does not exist is null. With `compared` there is "self_similarity_change":
/// {"before": folder, "tokens": [{"token", "occurrences", "before", "after", "change"}, the most frequent first],
/// "left_out"}, and where there is a correlation "correlation": {"with": report, "least": 4, "by_count": [over the
/// first 4 tokens, 5, ...]}.
std::string geometry_json(const TokenGeometry& geometry, const std::optional<ComparedGeometry>& compared = {});

}  // namespace gausscse
