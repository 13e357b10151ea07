#include "model/head/head.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "model/ops/device_kernels.hpp"
#include "model/ops/ops.hpp"
#include "model/ops/row_ranges.hpp"

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

/// Linear layers next to each other, each from vectors of width `hidden` to as many outputs.
struct LinearHeadLayers {
  std::vector<std::string> names;  ///< as in "mean" for the parameters head.mean.weight and head.mean.bias
  std::int64_t layers_with_tanh;   ///< number of first layers with a tanh; the others' outputs stay as they are
};

/// Returns the parameters of these layers: all weights [hidden, hidden], then all biases [hidden].
std::vector<ParameterSpec> linear_head_parameters(const LinearHeadLayers& layers, std::int64_t hidden) {
  std::vector<ParameterSpec> specs;
  for (const std::string& name : layers.names) specs.push_back({"head." + name + ".weight", {hidden, hidden}});
  for (const std::string& name : layers.names) specs.push_back({"head." + name + ".bias", {hidden}});
  return specs;
}

/// Replaces values by their hyperbolic tangent: on CPUs float64's, rounded.
void apply_tanh(at::Tensor values) {
  if (!values.is_cpu()) {
    values.tanh_();
    return;
  }
  GAUSSCSE_CHECK(values.stride(1) == 1, "rows of the output are not contiguous");
  ops::with_scalar_type(values, [&]<typename T>(T) {
    T* const first = values.mutable_data_ptr<T>();
    constexpr std::int64_t most = 64;  // rows of a task
    ops::for_row_ranges(values, most, [&](std::int64_t begin, std::int64_t count) {
      for (std::int64_t row = begin; row < begin + count; ++row) {
        T* const x = first + row * values.stride(0);
        for (std::int64_t i = 0; i < values.size(1); ++i) x[i] = static_cast<T>(std::tanh(static_cast<double>(x[i])));
      }
    });
  });
}

/// Linear layers, whose outputs stand next to each other in their order. They are computed as one layer.
class LinearHead : public Head {
 public:
  /// Makes the head. `parameters` holds `linear_head_parameters(layers, hidden)`; it and `products` must outlive the
  /// head.
  LinearHead(const LinearHeadLayers& layers, std::int64_t hidden, ParameterStore& parameters, MatrixProducts& products)
      : hidden_(hidden),
        width_(static_cast<std::int64_t>(layers.names.size()) * hidden),
        columns_with_tanh_(layers.layers_with_tanh * hidden),
        first_weight_("head." + layers.names.front() + ".weight"),
        first_bias_("head." + layers.names.front() + ".bias"),
        parameters_(parameters),
        products_(products),
        weight_(parameters.joined_value(first_weight_, width_, hidden)),
        bias_(parameters.joined_value(first_bias_, width_, 0)) {}

  std::int64_t width() const override { return width_; }

  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) override {
    activations.input = h;
    at::Tensor& output = activations.output = activations.output_memory.get(h.size(0), width_, h.options());
    products_.forward(products_.prepare(h, shards, 0), weight_, output, bias_);
    if (columns_with_tanh_ > 0) apply_tanh(output.narrow(1, 0, columns_with_tanh_));
    return output;
  }

  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) override {
    if (columns_with_tanh_ > 0) {
      const at::Tensor tanh = activations.output.narrow(1, 0, columns_with_tanh_);
      grad.narrow(1, 0, columns_with_tanh_).mul_(tanh.square().neg_().add_(1));
    }
    const MatrixProducts::Factor factor = products_.prepare(grad, shards, 0);
    products_.weight_gradient(factor, products_.prepare(activations.input, shards, 1),
                              parameters_.joined_gradient(first_weight_, width_, hidden_),
                              parameters_.joined_gradient(first_bias_, width_, 0));
    at::Tensor grad_input = grad_memory_.get(grad.size(0), hidden_, grad.options());
    products_.input_gradient(factor, weight_, grad_input);
    return grad_input;
  }

 private:
  std::int64_t hidden_;
  std::int64_t width_;
  std::int64_t columns_with_tanh_;
  std::string first_weight_, first_bias_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  at::Tensor weight_, bias_;
  ReusedMatrix grad_memory_;
};

LinearHeadLayers gaussian_layers(MeanActivation mean) {
  return {.names = {"mean", "log_var"}, .layers_with_tanh = mean == MeanActivation::tanh ? 1 : 0};
}

LinearHeadLayers mlp_layers() {
  return {.names = {"mlp"}, .layers_with_tanh = 1};
}

}  // namespace

std::vector<ParameterSpec> head_parameters(HeadKind kind, std::int64_t hidden) {
  switch (kind) {
    case HeadKind::gaussian:
      return linear_head_parameters(gaussian_layers(MeanActivation::tanh), hidden);
    case HeadKind::mlp_tanh:
      return linear_head_parameters(mlp_layers(), hidden);
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

std::int64_t head_width(HeadKind kind, std::int64_t hidden) {
  return kind == HeadKind::gaussian ? 2 * hidden : hidden;
}

std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                MatrixProducts& products) {
  switch (settings.kind) {
    case HeadKind::gaussian:
      return std::make_unique<LinearHead>(gaussian_layers(settings.mean), hidden, parameters, products);
    case HeadKind::mlp_tanh:
      return std::make_unique<LinearHead>(mlp_layers(), hidden, parameters, products);
    case HeadKind::none:
      return std::make_unique<NoHead>(hidden);
  }
  throw std::logic_error("no head of this number");
}

}  // namespace gausscse
