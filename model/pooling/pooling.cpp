#include "model/pooling/pooling.hpp"

#include <ATen/ops/mul.h>

#include <stdexcept>

#include "model/ops/ops.hpp"

namespace gausscse {

namespace {

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

/// The mean of the tokens' last hidden states, special tokens included, but for the first `left_out` tokens. A sentence
/// without others is the zero vector. Where the longest sentences are given, sums are divided by the number of their
/// tokens, but for as many.
class TokenMeanPooling : public Pooling {
 public:
  explicit TokenMeanPooling(std::int64_t left_out) : left_out_(left_out) {}

  EncoderOutput needed_output() const override { return EncoderOutput::all_tokens; }

  at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch& batch,
                     PoolingActivations& activations) override {
    at::Tensor pooled =
        activations.pooled_memory.get(batch.sentences(), hidden_states.size(1), hidden_states.options());
    ops::mean_of_tokens(hidden_states, batch, left_out_, pooled);
    if (activations.longest.defined()) pooled.mul_(share_of_longest(batch, activations, pooled.scalar_type()));
    return pooled;
  }

  at::Tensor backward(const at::Tensor& grad, const PackedBatch& batch,
                      const PoolingActivations& activations) override {
    at::Tensor grad_hidden = grad_memory_.get(batch.tokens(), grad.size(1), grad.options());
    const at::Tensor of_mean =
        activations.longest.defined() ? at::mul(grad, share_of_longest(batch, activations, grad.scalar_type())) : grad;
    ops::mean_of_tokens_backward(of_mean, batch, left_out_, grad_hidden);
    return grad_hidden;
  }

 private:
  /// Returns [sentences, 1]: the factors that turn a mean over a sentence's tokens into a sum divided by the number of
  /// those of the longest. 0 where even that has no tokens but the first ones.
  at::Tensor share_of_longest(const PackedBatch& batch, const PoolingActivations& activations,
                              at::ScalarType type) const {
    const std::int64_t sentences = batch.sentences();
    const at::Tensor own = batch.offsets.narrow(0, 1, sentences).sub(batch.offsets.narrow(0, 0, sentences));
    const at::Tensor of_longest = activations.longest.sub(left_out_).clamp_min_(1);
    return own.sub(left_out_).to(at::kDouble).div_(of_longest).to(type).unsqueeze_(1);
  }

  std::int64_t left_out_;
  ReusedMatrix grad_memory_;
};

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

}  // namespace

std::unique_ptr<Pooling> make_pooling(PoolingKind kind) {
  switch (kind) {
    case PoolingKind::first_token:
      return std::make_unique<FirstTokenPooling>();
    case PoolingKind::mean:
      return std::make_unique<TokenMeanPooling>(0);
    case PoolingKind::mean_without_first:
      return std::make_unique<TokenMeanPooling>(1);
    case PoolingKind::max:
      return std::make_unique<TokenMaximumPooling>();
  }
  throw std::logic_error("no pooling of this number");
}

}  // namespace gausscse
