#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "benchmarks/gpu/layer_shapes.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "model/device/device_kernels.hpp"

namespace gausscse::benchmarks {

namespace {

constexpr kernels::AdamWStep adamw_step{.learning_rate = 3e-5,
                                        .weight_decay = 0.01,
                                        .beta1 = 0.9,
                                        .beta2 = 0.999,
                                        .epsilon = 1e-8,
                                        .correction1 = 0.1,
                                        .correction2 = 0.001,
                                        .clip_norm = 0,
                                        .squared_norm = nullptr};

/// About as many as bert-base has where biases and layer norms do not decay.
constexpr std::int64_t decaying_runs = 50;

MeasuredCase adamw(at::Device device, std::int64_t count) {
  const at::Tensor value = random_values({count}, device), gradient = random_values({count}, device);
  const at::Tensor moment1 = at::zeros_like(value), moment2 = at::zeros_like(value);
  // On a CPU only; a GPU does not distinguish blocks at rest.
  const at::Tensor at_rest = device.is_cpu() ? at::zeros({count / kernels::adamw_block + 1}, at::kBool) : at::Tensor();
  // The runs are evenly long, and so are the gaps between them.
  const std::int64_t length = count / (2 * decaying_runs);
  const at::Tensor bounds =
      at::arange(0, 2 * decaying_runs * length, length, at::TensorOptions(device).dtype(at::kLong));
  const kernels::AdamWValues<float> values{value.mutable_data_ptr<float>(),
                                           gradient.mutable_data_ptr<float>(),
                                           moment1.mutable_data_ptr<float>(),
                                           moment2.mutable_data_ptr<float>(),
                                           device.is_cpu() ? at_rest.mutable_data_ptr<bool>() : nullptr,
                                           count,
                                           {bounds.const_data_ptr<std::int64_t>(), decaying_runs}};
  // Four arrays read, three of them written; 12 operations, a root and a division.
  const auto n = static_cast<double>(count);
  return {{7 * 4 * n, (12 + 2 * special_function) * n}, [value, gradient, moment1, moment2, at_rest, bounds, values] {
            ops::kernels_for<float>(value).adamw(ops::context_of(value), values, adamw_step);
          }};
}

MeasuredCase sum_of_squares(at::Device device, std::int64_t count) {
  const at::Tensor x = random_values({count}, device);
  const at::Tensor sum = at::zeros({1}, at::TensorOptions(device).dtype(at::kDouble));
  const auto n = static_cast<double>(count);
  return {{4 * n, 2 * n}, [x, sum] {
            ops::kernels_for<float>(x).sum_of_squares(ops::context_of(x), x.const_data_ptr<float>(), x.numel(),
                                                      sum.mutable_data_ptr<double>());
          }};
}

MeasuredCase round_to_bfloat16(at::Device device, std::int64_t count) {
  const at::Tensor x = random_values({count}, device), out = at::zeros_like(x);
  const auto n = static_cast<double>(count);
  // An addition, two of bits and a comparison, on integers.
  return {{8 * n, 8 * n}, [x, out] {
            ops::kernels_for<float>(x).round_to_bfloat16(ops::context_of(x), x.const_data_ptr<float>(), x.numel(),
                                                         out.mutable_data_ptr<float>());
          }};
}

}  // namespace

void add_optimizer_cases(const Workload& workload, CaseList& cases) {
  // Parameters of MiniLM and of bert-base.
  constexpr std::pair<const char*, std::int64_t> sizes[] = {{"22.7M", 22'700'000}, {"110M", 110'000'000}};
  for (const auto& [name, size] : sizes) {
    const std::int64_t count = workload.small ? 1000 : size;
    const at::Device device = workload.device;
    cases.push_back({std::string("adamw/") + name, [=] { return adamw(device, count); }});
    cases.push_back({std::string("sum_of_squares/") + name, [=] { return sum_of_squares(device, count); }});
  }
  const std::int64_t count = workload.small ? 1000 : 10'000'000;
  cases.push_back(
      {"round_to_bfloat16/10M", [device = workload.device, count] { return round_to_bfloat16(device, count); }});
}

}  // namespace gausscse::benchmarks
