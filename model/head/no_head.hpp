#pragma once

#include "model/head/head.hpp"

namespace gausscse {

/// The pooled vector is the embedding.
class NoHead : public Head {
 public:
  explicit NoHead(std::int64_t hidden) : hidden_(hidden) {}

  std::int64_t width() const override { return hidden_; }
  at::Tensor forward(const at::Tensor& h, kernels::RowShards, HeadActivations&) override { return h; }
  at::Tensor backward(at::Tensor grad, kernels::RowShards, const HeadActivations&) override { return grad; }

 private:
  std::int64_t hidden_;
};

}  // namespace gausscse
