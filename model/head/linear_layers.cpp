#include "model/head/linear_layers.hpp"

#include <cmath>

#include "model/device/device_kernels.hpp"
#include "model/ops/ops.hpp"
#include "model/ops/row_ranges.hpp"

namespace gausscse {

namespace {

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

}  // namespace

std::vector<ParameterSpec> LinearLayerShapes::parameters() const {
  std::vector<ParameterSpec> specs;
  for (const std::string& name : names) specs.push_back({"head." + name + ".weight", {outputs, inputs}});
  for (const std::string& name : names) specs.push_back({"head." + name + ".bias", {outputs}});
  return specs;
}

LinearLayers::LinearLayers(const LinearLayerShapes& shapes, ParameterStore& parameters, Matmuls& products)
    : shapes_(shapes),
      first_weight_("head." + shapes.names.front() + ".weight"),
      first_bias_("head." + shapes.names.front() + ".bias"),
      parameters_(parameters),
      products_(products),
      weight_(parameters.joined_value(first_weight_, shapes.width(), shapes.inputs)),
      bias_(parameters.joined_value(first_bias_, shapes.width(), 0)) {}

void LinearLayers::forward(const at::Tensor& x, kernels::RowShards shards, at::Tensor out) {
  products_.forward(products_.prepare(x, shards, 0), weight_, out, bias_);
  if (columns_with_tanh() > 0) apply_tanh(out.narrow(1, 0, columns_with_tanh()));
}

at::Tensor LinearLayers::backward(at::Tensor grad, const at::Tensor& x, const at::Tensor& out,
                                  kernels::RowShards shards) {
  if (columns_with_tanh() > 0) {
    const at::Tensor tanh = out.narrow(1, 0, columns_with_tanh());
    grad.narrow(1, 0, columns_with_tanh()).mul_(tanh.square().neg_().add_(1));
  }
  // A part of the columns of a longer row.
  grad = grad.contiguous();
  const Matmuls::Factor factor = products_.prepare(grad, shards, 0);
  products_.weight_gradient(factor, products_.prepare(x, shards, 1),
                            parameters_.joined_gradient(first_weight_, width(), shapes_.inputs),
                            parameters_.joined_gradient(first_bias_, width(), 0));
  at::Tensor grad_input = grad_memory_.get(grad.size(0), shapes_.inputs, grad.options());
  products_.input_gradient(factor, weight_, grad_input);
  return grad_input;
}

}  // namespace gausscse
