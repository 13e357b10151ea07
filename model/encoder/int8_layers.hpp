#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "model/encoder/encoder_layer.hpp"
#include "model/products/cpu/int8_products.hpp"

namespace gausscse {

/// Layers of an encoder whose matmuls multiply bytes, on CPUs and for evaluation alone.
///
/// Weights have a scale for each output channel; activations have one for each row, which is taken from the row itself.
/// So results need no calibration data and depend on no other row. Embeddings, sums of residuals and layer norms are
/// float32; queries, keys, values and contexts are bfloat16. A thread takes 64 rows from attention's context to the
/// layer's output, and what is between stays in its caches:
///
///     hidden states [bytes] -> queries, keys, values -> attention -> context
///     context -> [bytes] -> output + residual, norm -> [bytes] -> feed-forward, GELU -> [bytes] -> feed-forward
///             + residual, norm -> hidden states [float32 and bytes]
///
/// A few columns of hidden states are many times as wide as the others and would make all scales coarse. They are
/// halved in bytes and their weights doubled (`column_factors`).
class Int8Layers {
 public:
  /// Hidden states between layers: float32 [rows, hidden], and in bytes.
  struct States {
    at::Tensor values;
    int8_products::Rows bytes;
  };

  Int8Layers(const EncoderConfig& config, int8_products::Weights& weights);

  /// Normalises the embeddings `values`, in place. `column_factors` are int8_column_factors'.
  States begin(const at::Tensor& values, const ops::LayerNormParameters& norm, const at::Tensor& column_factors);
  /// Does layer `index`; the result is valid until the second next call. `input` may be the result of the last one.
  States forward(std::int64_t index, const States& input, const LayerParameters& layer, const EncoderLayer::Call& call);

  std::int64_t bytes() const;

 private:
  /// Memory of a thread for a block of rows.
  struct Block {
    ReusedMatrix sums, wide_row, attended;
    int8_products::RowsMemory narrow, wide;
  };

  /// Calls `use(row, count, block)` for blocks of rows, on several threads.
  void for_each_block(std::int64_t rows,
                      const std::function<void(std::int64_t row, std::int64_t count, Block& block)>& use);
  /// Computes out [rows, columns], bfloat16, = rows W^T + bias.
  void multiply(const int8_products::Rows& rows, std::int64_t count, const int8_products::Weight& weight,
                const at::Tensor& out);
  /// Returns memory for sums of products by `weight`.
  static std::int32_t* sums_of(Block& block, const int8_products::Weight& weight);
  kernels::NormToBytes norm_to(const ops::LayerNormParameters& norm, std::int64_t row_of_factors, float* out,
                               const kernels::ByteRows& bytes) const;
  /// Returns the factors of a layer's input, or of its rows after attention; of the last output they are ones.
  at::Tensor input_factors(std::int64_t index) const { return column_factors_[2 * index]; }
  at::Tensor attended_factors(std::int64_t index) const { return column_factors_[2 * index + 1]; }

  const EncoderConfig& config_;
  at::Tensor column_factors_;  ///< [2*layers + 1, hidden]
  int8_products::Weights& weights_;
  std::vector<Block> blocks_;  ///< blocks of the threads
  ReusedMatrix qkv_, queries_, context_, first_rows_, values_[2];
  int8_products::RowsMemory bytes_[2];
  int next_ = 0;            ///< number of the part of values_ and bytes_ that the next layer writes
  at::Tensor no_qkv_bias_;  ///< [3*hidden], zeros: sums have the biases already
};

/// Returns factors [2*layers + 1, hidden] of the columns of each layer's input and of its rows after attention, given
/// their hidden states in the same order: 1/2 where a column's largest magnitude is more than twice the median of all
/// columns', else 1. The last row is ones.
at::Tensor int8_column_factors(const std::vector<at::Tensor>& hidden_states);

}  // namespace gausscse
