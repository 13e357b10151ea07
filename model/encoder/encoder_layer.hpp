#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/encoder/attention_part.hpp"
#include "model/encoder/feed_forward_part.hpp"
#include "model/encoder/layer_call.hpp"
#include "model/encoder/layer_parameters.hpp"

namespace gausscse {

/// Rows between layers, [rows, hidden].
struct HiddenStates {
  at::Tensor values;    ///< behind a layer norm
  at::Tensor factor;    ///< the same as a factor of matrix products: `values` itself, or bfloat16
  at::Tensor residual;  ///< addend of the next part: `values`, or, with the norm first, the sum that was normalised
};

/// Memory of hidden states.
struct HiddenStatesMemory {
  ReusedMatrix values, factor, residual;

  /// Returns uninitialised hidden states, with a residual of their own where that is asked for.
  HiddenStates get(const Matmuls& products, std::int64_t rows, std::int64_t hidden, const at::TensorOptions& options,
                   bool has_own_residual);
};

/// A gradient by hidden states: `grad` is by their residual and `addend`, as a matrix product left it, by their values.
/// Where the residual is the values, the gradient by these is the sum. `addend` may be undefined.
struct HiddenGradient {
  at::Tensor grad;
  at::Tensor addend;
};

/// Values that a layer's forward leaves for its backward, and the memory for them, reused from step to step.
struct LayerActivations {
  HiddenStates input, attended;
  AttentionActivations attention;
  FeedForwardActivations feed_forward;
  ops::LayerNormState attention_state, output_state;

  HiddenStatesMemory attended_memory, output_memory;
  ReusedMatrix attention_normalized, attention_inverse, output_normalized, output_inverse;

  std::int64_t bytes() const;
};

/// One transformer layer, forward and backward: two parts, and a sum and a layer norm behind each.
///
///     input  -> attention     product ->  sum with input's residual     -> norm -> attended
///     attended -> feed-forward  product ->  sum with attended's residual  -> norm -> output
///
/// So a norm that comes first, before a part, is that behind the part before it (LayerParts).
class EncoderLayer {
 public:
  /// `zeros` are those of `zeros_for_biases`.
  EncoderLayer(const EncoderConfig& config, const ParameterStore& parameters, std::size_t index,
               const at::Tensor& zeros);
  EncoderLayer(const EncoderLayer&) = delete;
  EncoderLayer& operator=(const EncoderLayer&) = delete;

  /// Maps [tokens, hidden] -> [tokens or sentences, hidden], in `activations`, where it may take the place of `input`.
  /// With `keep` these are ready for `backward`; `input` must then stay as it is, and not be part of them.
  HiddenStates forward(const HiddenStates& input, const LayerCall& call, bool keep, LayerActivations& activations,
                       Matmuls& products, LayerScratch& scratch) const;

  /// Returns the gradient by the input [tokens, hidden], in `scratch`, from `grad` by the output (overwritten);
  /// undefined where the call does not need it.
  HiddenGradient backward(const HiddenGradient& grad, const LayerActivations& activations, ParameterStore& parameters,
                          Matmuls& products, const LayerCall& call, LayerScratch& scratch) const;

  const LayerParameters& parameters() const { return values_; }
  /// Returns the first element of its parameters, and so of their gradients, among all of the model.
  std::int64_t first_parameter() const { return first_parameter_; }

 private:
  ops::Rows output_rows(const LayerCall& call) const;

  const EncoderConfig& config_;
  std::size_t index_;
  bool keeps_sums_;  ///< true if the sum behind the last part goes on as the residual of the next layer
  std::int64_t first_parameter_;
  LayerParameters values_;
  AttentionPart attention_;
  FeedForwardPart feed_forward_;
  at::TensorOptions options_;  ///< type and device of the parameters
};

}  // namespace gausscse
