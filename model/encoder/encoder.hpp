#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "model/batch/packed_batch.hpp"
#include "model/batch/parameter_store.hpp"
#include "model/encoder/encoder_layer.hpp"
#include "model/encoder/int8_layers.hpp"
#include "model/encoder/rotary_angles.hpp"
#include "model/kernels/dropout_site.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/ops.hpp"
#include "model/ops/reused_matrix.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// Tokens whose last hidden states are wanted: all, or only each sentence's first.
enum class EncoderOutput { all_tokens, first_tokens };

/// Gets the hidden states of a layer, [tokens, hidden], which are valid during the call. Layer 0 is that of the
/// embeddings, after their layer norm; then come the layers from 1 on. With the norm first (LayerParts) they are those
/// before the norm, but for the last layer's.
using LayerVisitor = std::function<void(std::int64_t layer, const at::Tensor& hidden_states)>;

/// Values that an encoder's forward leaves for its backward, and the memory for them, reused from step to step. Held
/// layers, which have no backward, take turns in the memory of the last of them.
struct EncoderActivations {
  std::vector<LayerActivations> layers;
  ops::LayerNormState embedding_state;
  EncoderOutput output = EncoderOutput::all_tokens;
  std::optional<DropoutStep> dropout;

  HiddenStatesMemory embedded;
  ReusedMatrix embedding_normalized, embedding_inverse;

  std::int64_t bytes() const;
};

/// An encoder of any family (EncoderFamily) on packed tokens, with a backward derived by hand.
class Encoder {
 public:
  /// Makes an encoder of `parameters`, which begins with `encoder_parameters(config)`; it and `products` must outlive
  /// the encoder. Throws InputError where the attention heads are too wide for the device.
  Encoder(const EncoderConfig& config, ParameterStore& parameters, Matmuls& products);

  const EncoderConfig& config() const { return config_; }
  /// Holds the parameters of the embeddings and of the layers before `layer`, counted from 0.
  void hold_before(std::int64_t layer) {
    parameters_.hold_before(layers_.at(static_cast<std::size_t>(layer)).first_parameter());
  }

  /// Returns the last hidden states: [tokens, hidden], or [sentences, hidden] for `first_tokens` (the last layer then
  /// computes only values that these need). `dropout` null means evaluation. The result is part of `keep`, which is
  /// ready for `backward` afterwards; where it is null, it is valid until the next such call. `visitor`, which may be
  /// empty, is for `all_tokens`. In precision int8, matmuls are those of bytes only where nothing is kept.
  at::Tensor forward(const PackedBatch& batch, EncoderOutput output, const DropoutStep* dropout,
                     EncoderActivations* keep, const LayerVisitor& visitor = {});

  /// Adds to the gradients of the trained parameters, given the gradient of the result of `forward` with these
  /// activations and the same batch. `grad` is overwritten. `on_final`, which may be empty, is called for each layer's
  /// gradients, the last layer's first, then for the embeddings'. It stops behind the first layer that is trained.
  void backward(const PackedBatch& batch, const EncoderActivations& activations, at::Tensor grad,
                const GradientReadyCallback& on_final = {});

  /// Returns the bytes of memory that layers and calls share; activations that are kept are not counted.
  std::int64_t bytes_of_scratch() const;
  /// Gives that memory back; the next call takes it again.
  void release_scratch();

 private:
  /// Returns whether all parameters are trained. If not, the embeddings and perhaps the first layers are held.
  bool trains_embeddings() const { return parameters_.first_trained() == 0; }
  /// Returns the number of layers whose parameters are held.
  std::size_t held_layers() const;
  LayerCall call(const PackedBatch& batch, const EncoderActivations& activations, std::size_t layer);
  /// Returns the angles, biases and window of a layer's attention.
  AttentionPositions positions(const PackedBatch& batch, std::int64_t layer);
  /// Does `forward` without dropout by matmuls of bytes.
  at::Tensor forward_int8(const PackedBatch& batch, EncoderOutput output, const LayerVisitor& visitor);
  /// Returns the factors of columns for `forward_int8`, from the hidden states of random tokens.
  at::Tensor column_factors();

  EncoderConfig config_;
  ParameterStore& parameters_;
  Matmuls& products_;
  at::Tensor zeros_;  ///< see zeros_for_biases; undefined where no bias is missing
  std::deque<EncoderLayer> layers_;
  LayerScratch scratch_;
  std::optional<Int8Layers> int8_layers_;  ///< if the precision is int8
  ReusedMatrix grad_relative_position_;    ///< gradient of each sentence
  EncoderActivations not_kept_;            ///< values of one layer, which all layers use in turn
  EmbeddingParameters embeddings_;
  RotaryAngles global_angles_, local_angles_;
  at::TensorOptions options_;  ///< type and device of the parameters
};

}  // namespace gausscse
