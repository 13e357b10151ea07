#include "model/head/gaussian_head.hpp"

#include <ATen/TensorOperators.h>

#include <cmath>
#include <optional>
#include <string>

#include "model/head/linear_layers.hpp"

namespace gausscse {

namespace {

/// Layers of a Gaussian head that are there.
struct GaussianLayers {
  std::optional<LinearLayerShapes> of_vector;  ///< linear layers of the vector: of mean, log-variance, or both
  std::optional<LinearLayerShapes> hidden;     ///< first layer of the log-variance, if it has two
  std::optional<LinearLayerShapes> last;       ///< last layer of it then
};

GaussianLayers layers_of(const HeadSettings& settings, std::int64_t hidden) {
  GaussianLayers layers;
  std::vector<std::string> names;
  if (settings.mean != MeanLayer::identity) names.push_back("mean");
  if (settings.log_var == LogVarLayer::linear) names.push_back("log_var");
  if (!names.empty()) layers.of_vector = {names, hidden, hidden, settings.mean == MeanLayer::tanh ? 1 : 0};
  if (settings.log_var == LogVarLayer::mlp) {
    layers.hidden = {{"log_var.hidden"}, hidden, settings.log_var_width, 1};
    layers.last = {{"log_var"}, settings.log_var_width, hidden, 0};
  }
  return layers;
}

class GaussianHead : public Head {
 public:
  GaussianHead(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters, Matmuls& products)
      : hidden_(hidden),
        is_identity_(settings.mean == MeanLayer::identity),
        scales_(settings.scale == MeanScale::unit) {
    const GaussianLayers layers = layers_of(settings, hidden);
    if (layers.of_vector) of_vector_.emplace(*layers.of_vector, parameters, products);
    if (layers.hidden) hidden_layer_.emplace(*layers.hidden, parameters, products);
    if (layers.last) last_layer_.emplace(*layers.last, parameters, products);
  }

  std::int64_t width() const override { return 2 * hidden_; }

  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& kept) override {
    const std::int64_t rows = h.size(0);
    kept.input = h;
    if (scales_) {
      kept.unit_input.emplace(h);
      kept.input = kept.unit_input->rows() * length();
    }
    at::Tensor& output = kept.output = kept.output_memory.get(rows, width(), h.options());
    if (of_vector_) {
      kept.of_vector =
          scales_mean() ? kept.of_vector_memory.get(rows, of_vector_->width(), h.options()) : columns_of_vector(output);
      of_vector_->forward(kept.input, shards, kept.of_vector);
    }
    if (hidden_layer_) {
      kept.hidden = kept.hidden_memory.get(rows, hidden_layer_->width(), h.options());
      hidden_layer_->forward(kept.input, shards, kept.hidden);
      last_layer_->forward(kept.hidden, shards, log_var_of(output));
    }
    if (is_identity_) mean_of(output).copy_(kept.input);
    if (scales_mean()) {
      if (!hidden_layer_) log_var_of(output).copy_(log_var_of(kept.of_vector));
      kept.unit_mean.emplace(mean_of(kept.of_vector));
      mean_of(output).copy_(kept.unit_mean->rows() * length());
    }
    return output;
  }

  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& kept) override {
    if (scales_mean()) kept.unit_mean->backward(mean_of(grad).mul_(length()));
    at::Tensor by_input;
    if (of_vector_) by_input = of_vector_->backward(columns_of_vector(grad), kept.input, kept.of_vector, shards);
    if (hidden_layer_) {
      const at::Tensor by_hidden =
          last_layer_->backward(log_var_of(grad), kept.hidden, log_var_of(kept.output), shards);
      const at::Tensor by_layers = hidden_layer_->backward(by_hidden, kept.input, kept.hidden, shards);
      by_input = by_input.defined() ? by_input.add_(by_layers) : by_layers;
    }
    if (is_identity_) by_input.add_(mean_of(grad));
    if (scales_) kept.unit_input->backward(by_input.mul_(length()));
    return by_input;
  }

 private:
  /// Returns whether the mean is scaled behind its layer. The vector itself has its length already.
  bool scales_mean() const { return scales_ && !is_identity_; }
  double length() const { return std::sqrt(static_cast<double>(hidden_)); }
  at::Tensor mean_of(const at::Tensor& both) const { return both.narrow(1, 0, hidden_); }
  at::Tensor log_var_of(const at::Tensor& both) const { return both.narrow(1, hidden_, hidden_); }
  /// Returns the columns that the linear layers of the vector compute.
  at::Tensor columns_of_vector(const at::Tensor& both) const {
    return both.narrow(1, is_identity_ ? hidden_ : 0, of_vector_->width());
  }

  std::int64_t hidden_;
  bool is_identity_, scales_;
  std::optional<LinearLayers> of_vector_, hidden_layer_, last_layer_;
};

}  // namespace

std::vector<ParameterSpec> gaussian_head_parameters(const HeadSettings& settings, std::int64_t hidden) {
  std::vector<ParameterSpec> specs;
  const GaussianLayers layers = layers_of(settings, hidden);
  for (const auto& shapes : {layers.of_vector, layers.hidden, layers.last})
    if (shapes)
      for (ParameterSpec& spec : shapes->parameters()) specs.push_back(std::move(spec));
  return specs;
}

std::unique_ptr<Head> make_gaussian_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                         Matmuls& products) {
  return std::make_unique<GaussianHead>(settings, hidden, parameters, products);
}

}  // namespace gausscse
