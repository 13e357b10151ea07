#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gausscse {

/// Similarity of a token id to itself in different sentences, in one layer.
struct IdSelfSimilarity {
  std::uint32_t id;
  std::size_t occurrences;  ///< in the text
  double self_similarity;   ///< NaN where fewer than two sentences have it
};

/// Self-similarity of a token, less the layer's anisotropy.
struct TokenSelfSimilarity {
  std::string token;
  std::size_t occurrences;
  double adjusted;
};

/// Returns the self-similarities of the ids, less `anisotropy`. `tokens` are the strings of all ids, as of
/// `Tokenizer::tokens`.
std::vector<TokenSelfSimilarity> adjusted_self_similarities(std::span<const IdSelfSimilarity> ids, double anisotropy,
                                                            const std::vector<std::string>& tokens);

/// Adjusted self-similarities of a token in two models, and the second less the first.
struct TokenChange {
  std::string token;
  std::size_t occurrences;  ///< as the second model's tokenizer has it
  double before, after, change;
};

struct SelfSimilarityChange {
  std::vector<TokenChange> tokens;
  std::size_t left_out = 0;  ///< tokens that have no self-similarity in one of the models
};

/// Returns the change by training of the self-similarity of tokens. They are those of the first `frequent` of `after`,
/// in their order, that `before` has, too. See "On Isotropy, Contextualization and Learning Dynamics of
/// Contrastive-based Sentence Representation Learning", table 2. Tokens are the same if their strings are; so are [CLS]
/// and <s>, [SEP] and </s>, [PAD] and <pad>. Both lists have the most frequent first; of a string that is there twice,
/// the first counts.
SelfSimilarityChange self_similarity_change(std::span<const TokenSelfSimilarity> before,
                                            std::span<const TokenSelfSimilarity> after, std::size_t frequent);

/// Returns Pearson's correlations of the changes in two pairs of models (metric 24). The first is over the first
/// `least` (over 0) tokens of `a` that `b` has, too, the next over `least` + 1, and so on to all of them, or the first
/// `most`. Special tokens are not counted. NaN for less than two, or where all changes of a side are equal.
std::vector<double> pearson_by_count(std::span<const TokenChange> a, std::span<const TokenChange> b, std::size_t least,
                                     std::size_t most);

/// Columns of a geometry task, all of the last layer. docs/result_files.md describes them.
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

}  // namespace gausscse
