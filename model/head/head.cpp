#include "model/head/head.hpp"

#include <stdexcept>

#include "model/head/gaussian_head.hpp"
#include "model/head/linear_layers.hpp"

namespace gausscse {

namespace {

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

LinearLayerShapes mlp_layer(std::int64_t hidden) {
  return {.names = {"mlp"}, .inputs = hidden, .outputs = hidden, .layers_with_tanh = 1};
}

/// A linear layer, then tanh.
class MlpTanhHead : public Head {
 public:
  MlpTanhHead(std::int64_t hidden, ParameterStore& parameters, Matmuls& products)
      : layer_(mlp_layer(hidden), parameters, products) {}

  std::int64_t width() const override { return layer_.width(); }
  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) override {
    activations.input = h;
    activations.output = activations.output_memory.get(h.size(0), width(), h.options());
    layer_.forward(h, shards, activations.output);
    return activations.output;
  }
  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) override {
    return layer_.backward(std::move(grad), activations.input, activations.output, shards);
  }

 private:
  LinearLayers layer_;
};

}  // namespace

std::int64_t HeadActivations::bytes() const {
  std::int64_t bytes = bytes_of({&output_memory, &of_vector_memory, &hidden_memory});
  if (unit_input) bytes += static_cast<std::int64_t>(unit_input->rows().nbytes() + input.nbytes());
  if (unit_mean) bytes += static_cast<std::int64_t>(unit_mean->rows().nbytes());
  return bytes;
}

std::vector<ParameterSpec> head_parameters(const HeadSettings& settings, std::int64_t hidden) {
  switch (settings.kind) {
    case HeadKind::gaussian:
      return gaussian_head_parameters(settings, hidden);
    case HeadKind::mlp_tanh:
      return mlp_layer(hidden).parameters();
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

std::int64_t head_width(HeadKind kind, std::int64_t hidden) {
  return kind == HeadKind::gaussian ? 2 * hidden : hidden;
}

std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                Matmuls& products) {
  switch (settings.kind) {
    case HeadKind::gaussian:
      return make_gaussian_head(settings, hidden, parameters, products);
    case HeadKind::mlp_tanh:
      return std::make_unique<MlpTanhHead>(hidden, parameters, products);
    case HeadKind::none:
      return std::make_unique<NoHead>(hidden);
  }
  throw std::logic_error("no head of this number");
}

}  // namespace gausscse
