#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "model/encoder/encoder_layer.hpp"
#include "model/matmul/cpu/int8_matmul.hpp"

namespace gausscse {

/// Layers of an encoder whose matmuls multiply bytes, on CPUs and for evaluation alone: the same parts as those of
/// EncoderLayer.
///
/// Weights have a scale for each output channel; activations have one for each row, which is taken from the row itself.
/// So results need no calibration data and depend on no other row. Embeddings, queries, keys, values, contexts, sums of
/// residuals and layer norms are float32:
///
///     hidden states [bytes] -> queries, keys, values -> attention -> context
///     context -> [bytes] -> output + residual, norm -> [bytes] -> feed-forward, GELU -> [bytes] -> feed-forward
///             + residual, norm -> hidden states [float32 and bytes]
///
/// A thread takes some whole sentences, of about 64 tokens, through all layers, so that everything but the weights
/// stays in its caches and no thread waits for another. Where there are fewer such parts than threads, the threads
/// share each step of a layer.
///
/// A few columns of hidden states are many times as wide as the others and would make all scales coarse. They are
/// halved in bytes and their weights doubled (`column_factors`).
class Int8Layers {
 public:
  Int8Layers(const EncoderConfig& config, int8_matmul::Weights& weights) : config_(config), weights_(weights) {}

  struct Input {
    const PackedBatch& batch;
    at::Tensor embedded;                            ///< sums of embeddings [tokens, hidden], which are overwritten
    const ops::LayerNormParameters& embedded_norm;  ///< layer norm of the embeddings
    at::Tensor column_factors;                      ///< int8_column_factors'
    std::function<AttentionPositions(std::int64_t layer)> positions;
    bool first_tokens;  ///< true if the last layer computes first tokens only
  };
  /// Called with the hidden states behind the embeddings (0) and behind each layer.
  using Visitor = std::function<void(std::int64_t layer, const at::Tensor& hidden_states)>;

  /// Returns the last hidden states, [tokens, hidden] or [sentences, hidden]; valid until the next call.
  at::Tensor forward(const Input& input, const std::deque<EncoderLayer>& layers, const Visitor& visitor);

  std::int64_t bytes() const;

 private:
  /// Memory of a part of the sentences, and of a thread for a block of their rows.
  struct PartMemory {
    ReusedLines qkv, queries, context;
  };
  struct Block {
    PartMemory part;
    ReusedLines wide;
    int8_matmul::RowsMemory narrow_bytes, wide_bytes;
  };
  struct Layer;
  struct Run;
  struct Part;
  /// Calls use(i, block) for i below `count`.
  using Tasks = std::function<void(std::int64_t count, const std::function<void(std::int64_t i, Block& block)>& use)>;

  Layer layer(std::int64_t index, const LayerParameters& parameters, const Input& input, bool first_tokens);
  kernels::NormToBytes norm(const ops::LayerNormParameters& norm, const at::Tensor& factors, bool keeps_input) const;
  /// Calls use(i, block) on several threads, each with its block.
  void run_on_threads(std::int64_t count, const std::function<void(std::int64_t i, Block& block)>& use);
  void normalize_embeddings(const Run& run, const Part& part, const Tasks& tasks) const;
  /// Returns the context of a layer's attention, in `memory`, for some of the sentences.
  float* attend(const Run& run, std::size_t index, const Part& part, PartMemory& memory, const Tasks& tasks) const;
  /// Does a layer for some of the sentences.
  void forward_part(const Run& run, std::size_t index, const Part& part, PartMemory& memory, const Tasks& tasks) const;

  const EncoderConfig& config_;
  int8_matmul::Weights& weights_;
  std::vector<Block> blocks_;  ///< a thread each
  PartMemory shared_;
  ReusedMatrix first_rows_;
  int8_matmul::RowsMemory bytes_;
};

/// Returns factors [2*layers + 1, hidden] of the columns of each layer's input and of its rows after attention, given
/// their hidden states in the same order. A factor is 1/2 where a column's largest magnitude is more than twice the
/// median of all columns', else 1. The last row is ones.
at::Tensor int8_column_factors(const std::vector<at::Tensor>& hidden_states);

}  // namespace gausscse
