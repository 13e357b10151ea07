#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "model/encoder/encoder_layer.hpp"
#include "model/encoder/matrix_products.hpp"
#include "model/encoder/packed_batch.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/encoder/workspace.hpp"
#include "model/kernels/dropout_site.hpp"
#include "model/ops/ops.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// A BERT or RoBERTa encoder (Hugging Face's definition: post-layer-norm, learned positions, exact GELU) on packed
/// tokens, with a backward derived by hand.
class Encoder {
 public:
  /// `parameters` begins with `encoder_parameters(config)`; it and `products` must outlive the encoder.
  Encoder(const EncoderConfig& config, ParameterStore& parameters, MatrixProducts& products);

  const EncoderConfig& config() const { return config_; }

  /// Which tokens' last hidden states are wanted: of all, or only of each sentence's first.
  enum class Output { all_tokens, first_tokens };

  /// Last hidden states: [tokens, hidden], or [sentences, hidden] for `first_tokens` (the last layer then computes
  /// only what these need). `dropout` null means evaluation. With `keep` all that `backward` needs is kept until the
  /// next `forward`. The result is valid until the next call.
  at::Tensor forward(const PackedBatch& batch, Output output, const DropoutStep* dropout, bool keep);

  /// Adds to the parameters' gradients, given the gradient of what the last `forward(..., keep = true)` returned, with
  /// the same batch. `grad` is overwritten.
  void backward(const PackedBatch& batch, at::Tensor grad);

 private:
  DropoutSite site(std::uint32_t number, double probability) const;
  EncoderLayer::Call call(const PackedBatch& batch, std::size_t layer) const;

  EncoderConfig config_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  std::vector<EncoderLayer> layers_;
  LayerScratch scratch_;
  EmbeddingParameters embeddings_;
  ReusedMatrix embedded_, embedding_normalized_, embedding_inverse_;
  ops::LayerNormState embedding_state_;
  DropoutSite embedding_dropout_;
  at::ScalarType type_;
  Output output_ = Output::all_tokens;  ///< of the last forward
  std::optional<DropoutStep> dropout_;  ///< of the last forward
};

}  // namespace gausscse
