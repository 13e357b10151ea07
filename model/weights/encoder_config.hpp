#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "model/kernels/activation.hpp"

namespace gausscse {

/// Parts of a family's layers. All have attention, a feed-forward part, and a residual and a layer norm with each:
///
///     norm behind:   x = norm(x + attention(x));     x = norm(x + feed_forward(x))
///     norm first:    x = x + attention(norm(x));     x = x + feed_forward(norm(x));     behind the last layer norm(x)
///
/// With the norm first, attention of the first layer reads the embeddings, which have a norm of their own.
struct LayerParts {
  bool norm_first = false;
  bool norm_biases = true;
  bool linear_biases = true;
  /// The feed-forward part is W2 gelu(W1 x), or, with a gate, W2 (activation(A x) * B x) with W1 = [A; B].
  std::optional<kernels::Activation> gate = {};
  bool joins_qkv = false;   ///< weights of queries, keys and values are one tensor
  bool joins_gate = false;  ///< A and B are one tensor
};

/// Rotary positions and local attention. Layer i is global if i is a multiple of `global_every`, else local: there a
/// token attends to those that are at most `local_distance` places from it.
struct RotaryPositions {
  double base = 0;  ///< base of the frequencies in global layers; 0 where positions are not rotary
  double local_base = 0;
  std::int64_t local_distance = 0;
  std::int64_t global_every = 1;

  bool is_local(std::int64_t layer) const { return layer % global_every != 0; }
  bool operator==(const RotaryPositions&) const = default;
};

/// The shape of an encoder, by the names of a Hugging Face config.json of BERT in full words.
struct EncoderConfig {
  /// The family that it belongs to, see EncoderFamily.
  enum class Architecture { bert, roberta, xlm_roberta, mpnet, distilbert, modernbert, nomic_bert };

  Architecture architecture = Architecture::bert;
  std::int64_t hidden_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;  ///< divides hidden_size
  std::int64_t intermediate_size = 0;
  std::int64_t vocabulary_size = 0;
  std::int64_t max_positions = 0;              ///< rows of the position table, or rotary positions; see max_tokens()
  std::int64_t type_vocabulary_size = 2;       ///< rows of the table of token types; 0 where there is none
  std::int64_t relative_position_buckets = 0;  ///< rows of the table of relative position biases; 0 where there is none
  std::int64_t pad_token_id = 0;
  double layer_norm_eps = 1e-12;
  double hidden_dropout = 0.1;
  double attention_dropout = 0.1;
  RotaryPositions rotary = {};  ///< instead of a position table, where the family has them

  /// Returns the most tokens a sentence may have, special ones included.
  std::size_t max_tokens() const;
  /// Returns the row of the position table for the first token of a sentence, as the family counts.
  std::int64_t first_position() const;
  /// Returns the dropout of attention's output in a layer: `hidden_dropout`, or 0 in families without it.
  double attention_output_dropout() const;
  /// Returns the parts of the family's layers.
  const LayerParts& parts() const;
  bool has_position_table() const { return rotary.base == 0; }

  bool operator==(const EncoderConfig&) const = default;
};

/// Reads the text of a config.json. Throws InputError, with `source_name`, for keys that are missing, of the wrong
/// type, out of range, or that ask for a computation that is not implemented. Also for unknown keys, unless their value
/// switches nothing on: null, false or empty. Where neither model_type nor architectures names the family, it is
/// `assumed`, and without that the text is refused.
EncoderConfig parse_encoder_config(std::string_view text, std::string_view source_name,
                                   std::optional<EncoderConfig::Architecture> assumed = std::nullopt);

/// Reads `folder`/config.json as `parse_encoder_config`; where the file does not name the architecture and `assumed` is
/// not given, the tokenizer files decide: vocab.txt is BERT's, vocab.json RoBERTa's.
EncoderConfig read_encoder_config(const std::filesystem::path& folder,
                                  std::optional<EncoderConfig::Architecture> assumed = std::nullopt);

/// Returns the config of a published architecture, such as bert-base: one of `shapes` of any EncoderFamily. Throws
/// InputError for another name, with the nearest of these.
EncoderConfig named_encoder_config(std::string_view name);

/// Returns the text of a config.json that `transformers` opens as the plain model of the family, such as BertModel, and
/// `parse_encoder_config` as `config`.
std::string to_config_json(const EncoderConfig& config);

}  // namespace gausscse
