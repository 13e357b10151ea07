#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <memory>

#include "base/error.hpp"
#include "benchmarks/gpu/layer_shapes.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "model/matmul/cuda/cublaslt.hpp"

namespace gausscse::benchmarks {

namespace {

/// A weight [rows, columns] of a layer.
struct Weight {
  const char* name;
  std::int64_t rows, columns;
};

enum class Form { forward, input_gradient, weight_gradient, weight_and_bias_gradient };
/// Their names, in this order.
constexpr const char* forms[] = {"forward", "input_gradient", "weight_gradient", "weight_and_bias_gradient"};

/// Measures a product of factors of one type, with a result of another: by cuBLASLt, as a training multiplies, or on a
/// CPU by LibTorch.
MeasuredCase product(const Weight& weight, Form form, std::int64_t tokens, at::Device device, at::ScalarType factor,
                     at::ScalarType result) {
  const at::Tensor x = random_values({tokens, weight.columns}, device, factor),
                   w = random_values({weight.rows, weight.columns}, device, factor),
                   grad = random_values({tokens, weight.rows}, device, factor);
  const at::Tensor a = form == Form::forward ? x : form == Form::input_gradient ? grad : grad.t();
  const at::Tensor b = form == Form::forward ? w.t() : form == Form::input_gradient ? w : x;
  const at::Tensor out = at::empty({a.size(0), b.size(1)}, x.options().dtype(result));
  const double operations = 2 * static_cast<double>(tokens) * static_cast<double>(weight.rows * weight.columns);
  const Cost cost{static_cast<double>(a.nbytes() + b.nbytes() + out.nbytes()), operations,
                  factor == at::kBFloat16 ? Arithmetic::matmuls : Arithmetic::float32};
  if (device.is_cpu())
    return {cost, [=] {
              at::Tensor to = out;
              at::mm_out(to, a, b);
            }};
  CublasLt::Options options;
  if (form == Form::weight_and_bias_gradient) options.row_sums = at::empty({weight.rows}, out.options());
  return {cost, [=, library = std::make_shared<CublasLt>()] {
            if (!library->multiply(a, b, out, options)) throw SystemError("cuBLASLt has no algorithm that sums rows");
          }};
}

}  // namespace

void add_product_cases(const Workload& workload, CaseList& cases) {
  const std::int64_t tokens = workload.small ? 40 : 17 * workload.sentences();
  const at::Device device = workload.device;
  const auto add = [&](const LayerShape& shape, const char* type, const Weight& weight, Form form,
                       at::ScalarType factor, at::ScalarType result) {
    cases.push_back({concat("product/", shape.name, '/', type, '/', weight.name, '/', forms[static_cast<int>(form)]),
                     [=] { return product(weight, form, tokens, device, factor, result); }});
  };
  for (const LayerShape& shape : layer_shapes) {
    const Weight weights[] = {{"qkv", 3 * shape.hidden, shape.hidden},
                              {"attention", shape.hidden, shape.hidden},
                              {"intermediate", shape.intermediate, shape.hidden},
                              {"output", shape.hidden, shape.intermediate}};
    for (const Weight& weight : weights) {
      for (const Form form : {Form::forward, Form::input_gradient, Form::weight_gradient}) {
        add(shape, "fp32", weight, form, at::kFloat, at::kFloat);
        if (device.is_cpu()) continue;
        add(shape, "bf16", weight, form, at::kBFloat16, at::kBFloat16);
        add(shape, "bf16_to_fp32", weight, form, at::kBFloat16, at::kFloat);
      }
      if (!device.is_cpu())
        add(shape, "bf16_to_fp32", weight, Form::weight_and_bias_gradient, at::kBFloat16, at::kFloat);
    }
  }
}

}  // namespace gausscse::benchmarks
