#pragma once

#include "model/pooling/pooling.hpp"

namespace gausscse {

/// The last hidden state of the first token ([CLS], or <s>), without Hugging Face's pooler; both papers and the
/// released program.
class FirstTokenPooling : public Pooling {
 public:
  EncoderOutput needed_output() const override { return EncoderOutput::first_tokens; }
  at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch&, PoolingActivations&) override {
    return hidden_states;
  }
  at::Tensor backward(const at::Tensor& grad, const PackedBatch&, const PoolingActivations&) override { return grad; }
};

}  // namespace gausscse
