#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/tasks/geometry_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "evaluation/geometry/rogue_dimensions.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "model/sentence_encoder.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// The metrics of one layer ("On Isotropy, Contextualization and Learning Dynamics of Contrastive-based Sentence
/// Representation Learning", 2023). x is the hidden state of a token, special ones included.
struct LayerGeometry {
  /// Mean cosine of tokens of different sentences, each sentence weighing the same: its exact value,
  double anisotropy = 0;
  /// and as the paper has it, from one token each of some sentences; rounded to three decimals.
  double sampled_anisotropy = 0;
  /// Mean cosine of a token id with itself in different sentences (its first occurrence in each), rounded to three
  /// decimals for each id. It is averaged over ids with at least five occurrences in at least two sentences.
  double self_similarity = 0;
  /// Mean over sentences of the mean cosine of a token with the mean of its sentence's tokens.
  double intra_sentence_similarity = 0;
  /// The two similarities less the exact anisotropy.
  double adjusted_self_similarity = 0;
  double adjusted_intra_sentence_similarity = 0;
  double norm = 0;               ///< mean |x| over all tokens (released notebook)
  double norm_of_sentences = 0;  ///< mean over sentences of their mean |x| (the text)
};

struct TokenGeometry {
  std::size_t sentences = 0, tokens = 0, longest = 0;
  std::size_t ids = 0;                ///< ids that occur often enough to count
  std::vector<LayerGeometry> layers;  ///< the embeddings, then every layer
  RogueDimensions rogue;              ///< in the last layer, over token ids
  RogueDimensions rogue_over_tokens;  ///< in the last layer, over tokens of different sentences (the paper's eq. 4)
  std::vector<Informativity> informativity;  ///< in the last layer
  /// In the last layer, for each id that counts, the most frequent first, of equally frequent ones the lower.
  std::vector<IdSelfSimilarity> self_similarities;
  /// Mean over tokens of the last layer's x, of each sentence in its order; empty unless settings ask for them.
  VectorRows sentence_vectors;
};

/// Measures the hidden states of the sentences of `store`, all of them as often as they stand there, without dropout,
/// on all ranks of `communicator`; each has the result. `pad` is the id of padding. Metrics that do not exist, as the
/// self-similarity of a text without repeated tokens, are NaN. Throws InputError for less than two sentences and for
/// hidden states that are not finite. Collective.
TokenGeometry measure_token_geometry(SentenceEncoder& encoder, const TokenStore& store, std::uint32_t pad,
                                     const GeometrySettings& settings, Communicator& communicator);

}  // namespace gausscse
