#pragma once

#include "model/ops/ops.hpp"
#include "model/pooling/pooling.hpp"

namespace gausscse {

/// The maximum of the tokens' last hidden states in each dimension, special tokens included. The first of equal tokens
/// gets the gradient.
class TokenMaximumPooling : public Pooling {
 public:
  EncoderOutput needed_output() const override { return EncoderOutput::all_tokens; }

  at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch& batch,
                     PoolingActivations& activations) override {
    const std::int64_t hidden = hidden_states.size(1);
    at::Tensor pooled = activations.pooled_memory.get(batch.sentences(), hidden, hidden_states.options());
    activations.token =
        activations.token_memory.get(batch.sentences(), hidden, hidden_states.options().dtype(at::kInt));
    ops::max_of_tokens(hidden_states, batch, pooled, activations.token);
    return pooled;
  }

  at::Tensor backward(const at::Tensor& grad, const PackedBatch& batch,
                      const PoolingActivations& activations) override {
    at::Tensor grad_hidden = grad_memory_.get(batch.tokens(), grad.size(1), grad.options());
    ops::max_of_tokens_backward(grad, activations.token, batch, grad_hidden);
    return grad_hidden;
  }

 private:
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
