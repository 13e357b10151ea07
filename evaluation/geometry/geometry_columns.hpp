#pragma once

#include <optional>
#include <vector>

#include "evaluation/geometry/self_similarity_change.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Columns of a geometry task, all of the last layer. docs/results.md describes them.
namespace geometry_columns {

// For each token id that counts, the most frequent first.
inline constexpr const char* token = "token";
inline constexpr const char* occurrences = "occurrences";
inline constexpr const char* self_similarity = "self_similarity";
// For each dimension, the largest share first.
inline constexpr const char* rogue_dimension = "rogue_dimension";
inline constexpr const char* rogue_share = "rogue_share";
// For each sentence, where the task keeps them.
inline constexpr const char* sentence_vector = "sentence_vector";

}  // namespace geometry_columns

/// Returns the self-similarities in the columns of a geometry task's measurement, less its anisotropy. Empty where it
/// has no such columns, as before there were any. Throws InputError where they differ in length.
std::vector<TokenSelfSimilarity> adjusted_self_similarities(const Measurement& measurement);

}  // namespace gausscse
