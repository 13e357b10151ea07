#pragma once

#include "model/ops/ops.hpp"
#include "model/pooling/pooling.hpp"

namespace gausscse {

/// The mean of the tokens' last hidden states, special tokens included, but for the first `left_out` tokens. A sentence
/// without others is the zero vector.
class TokenMeanPooling : public Pooling {
 public:
  explicit TokenMeanPooling(std::int64_t left_out) : left_out_(left_out) {}

  EncoderOutput needed_output() const override { return EncoderOutput::all_tokens; }

  at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch& batch,
                     PoolingActivations& activations) override {
    at::Tensor pooled =
        activations.pooled_memory.get(batch.sentences(), hidden_states.size(1), hidden_states.options());
    ops::mean_of_tokens(hidden_states, batch, left_out_, pooled);
    return pooled;
  }

  at::Tensor backward(const at::Tensor& grad, const PackedBatch& batch, const PoolingActivations&) override {
    at::Tensor grad_hidden = grad_memory_.get(batch.tokens(), grad.size(1), grad.options());
    ops::mean_of_tokens_backward(grad, batch, left_out_, grad_hidden);
    return grad_hidden;
  }

 private:
  std::int64_t left_out_;
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
