#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

#include "model/batch/packed_batch.hpp"
#include "model/kernels/kernels.hpp"

/// The compute kernels over tensors: picks the scalar type (float32 or float64), that of factors of matrix products
/// (the same, or bfloat16) and the device's set. Shapes and meanings are those of model/kernels/kernels.hpp; tensors
/// are contiguous, and all of a call on one device.
namespace gausscse::ops {

using kernels::RowShards;

/// Identity of the rows of a matrix: int32 [rows] each, for dropout, and the shards that sums over rows follow.
struct Rows {
  at::Tensor samples;
  at::Tensor positions;
  RowShards shards;
};
/// Returns the rows of matrices with a row for each token.
Rows token_rows(const PackedBatch& batch);

/// Dropout inside and after `add_layer_norm`.
struct LayerNormDropout {
  DropoutSite before;
  DropoutSite after;
};

/// Values that `add_layer_norm` keeps for its backward; undefined tensors keep nothing.
struct LayerNormState {
  at::Tensor normalized;
  at::Tensor inverse_deviation;
};

/// Affine part of a layer norm, as values or as gradients.
struct LayerNormParameters {
  at::Tensor gamma;
  at::Tensor beta;
};

/// Embeds a batch; `position` and `token_type` may be undefined.
void embed(const at::Tensor& word, const at::Tensor& position, const at::Tensor& token_type, const PackedBatch& batch,
           at::Tensor out);
/// Adds the gradient of `embed` to the tables' gradients, of which the last two may be undefined; `batch` is ready for
/// a backward.
void embed_backward(const at::Tensor& grad, const PackedBatch& batch, at::Tensor grad_word, at::Tensor grad_position,
                    at::Tensor grad_token_type);

/// Results of `add_layer_norm`.
struct LayerNormResult {
  at::Tensor out;
  at::Tensor factor;  ///< the values of `out` as a factor of matmuls: `out` itself where factors are of its type
  at::Tensor sum;     ///< the sum that is normalised, or undefined
};
/// Gradient of what `add_layer_norm` gave: `addend` is that of `out`. `grad` is added to it, or, with `of_sum`, is the
/// gradient of `sum`. `addend` may be undefined; `grad` is overwritten.
struct LayerNormGradient {
  at::Tensor grad;
  at::Tensor addend;
  bool of_sum = false;
};
/// Adds and normalises. Either x and its bias, or the residual, may be undefined.
void add_layer_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    const LayerNormParameters& parameters, double epsilon, const LayerNormDropout& dropout,
                    const Rows& rows, const LayerNormResult& result, const LayerNormState& state);
/// Computes the backward of `add_layer_norm`. `grad_x`, and gradients of beta and bias, may be undefined.
void add_layer_norm_backward(const LayerNormGradient& grad, const LayerNormState& state, const at::Tensor& gamma,
                             const LayerNormDropout& dropout, const Rows& rows, at::Tensor grad_residual,
                             at::Tensor grad_x, const LayerNormParameters& gradients, at::Tensor grad_bias);

void bias_gelu(const at::Tensor& x, const at::Tensor& bias, at::Tensor out);
void gelu_backward(at::Tensor grad, const at::Tensor& x, const at::Tensor& bias, RowShards rows, at::Tensor grad_bias,
                   at::Tensor activation);
void add_column_sums(const at::Tensor& x, RowShards rows, at::Tensor sum);

/// Maps x [rows, 2*width] -> out [rows, width].
void gate(kernels::Activation activation, const at::Tensor& x, at::Tensor out);
void gate_backward(kernels::Activation activation, const at::Tensor& grad, const at::Tensor& x, at::Tensor grad_x,
                   at::Tensor out);

/// Turns `count` columns of x [tokens, ...] from `first` on, those of whole heads, by rotary positions: `angles` is
/// [positions, head_size], and `direction` -1 for a backward.
void rotate(at::Tensor x, std::int64_t first, std::int64_t count, const at::Tensor& angles, const PackedBatch& batch,
            int direction);

/// Settings of attention over a packed batch.
struct AttentionSettings {
  std::int64_t heads;
  bool first_token_only;
  DropoutSite dropout;
  std::int64_t farthest = std::numeric_limits<std::int64_t>::max();  ///< see kernels::Attention
};
/// Biases of attention's scores by relative position; undefined where there are none.
struct RelativePositionBias {
  at::Tensor table;              ///< [buckets, heads]
  at::Tensor grad_of_sentences;  ///< [sentences, buckets*heads], which a backward adds to
};
/// Result of attention's forward.
struct AttentionResult {
  at::Tensor context;
  /// [queries, heads*kernels::attention_statistics], of the parameters' type: for a backward where that
  /// `needs_attention_statistics`, else undefined.
  at::Tensor statistics;
};
/// Returns whether a backward of attention over qkv [tokens, 3*hidden], on its device, takes statistics from the
/// forward.
bool needs_attention_statistics(const PackedBatch& batch, std::int64_t heads, const at::Tensor& qkv);
void attention(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
               const at::Tensor& bias, const RelativePositionBias& relative_position, const AttentionResult& result);
/// Computes the backward of attention; `result` is the forward's.
void attention_backward(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
                        const at::Tensor& bias, const RelativePositionBias& relative_position,
                        const AttentionResult& result, const at::Tensor& grad_context, at::Tensor grad_qkv);

/// Maps x [tokens, width] -> out [sentences, width].
void mean_of_tokens(const at::Tensor& x, const PackedBatch& batch, std::int64_t left_out, at::Tensor out);
void mean_of_tokens_backward(const at::Tensor& grad, const PackedBatch& batch, std::int64_t left_out,
                             at::Tensor grad_x);
/// Takes the maximum of the tokens. `token` int32 [sentences, width]: where the maximum was found, -1 in a sentence
/// without tokens, which gives zeros (as its mean does; `pack_sentences` packs none).
void max_of_tokens(const at::Tensor& x, const PackedBatch& batch, at::Tensor out, at::Tensor token);
void max_of_tokens_backward(const at::Tensor& grad, const at::Tensor& token, const PackedBatch& batch,
                            at::Tensor grad_x);

void round_to_bfloat16(const at::Tensor& x, at::Tensor out);

}  // namespace gausscse::ops
