#include "model/initialize.hpp"

#include <ATen/ops/clamp_min.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/var.h>

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Stream number that keeps the draws of initial weights apart from any others under the same seed.
constexpr std::uint64_t initialization_stream = std::uint64_t{0x696E6974} << 32;

/// Calls `set(element, stream)` for each element of each parameter that `selected` accepts.
template <typename Selected, typename Set>
void for_each_element(ParameterStore& parameters, std::uint64_t seed, const Selected& selected, const Set& set) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterSpec& spec = parameters.specs()[i];
    if (!selected(spec)) continue;
    PhiloxStream stream(seed, initialization_stream + i);
    parameters.write_value(i, [&](at::Tensor flat) {
      if (flat.scalar_type() == at::kDouble) {
        auto* value = flat.mutable_data_ptr<double>();
        for (std::int64_t k = 0; k < flat.numel(); ++k) value[k] = set(spec, stream);
      } else {
        auto* value = flat.mutable_data_ptr<float>();
        for (std::int64_t k = 0; k < flat.numel(); ++k) value[k] = static_cast<float>(set(spec, stream));
      }
    });
  }
}

/// Draws a standard normal number, by Box and Muller's method.
double normal(PhiloxStream& stream) {
  const double u = (stream.next() + 1.0) * 0x1p-32;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * stream.uniform());
}

bool is_head(const ParameterSpec& spec) {
  return spec.name.starts_with("head.");
}

bool is_of_objective(const ParameterSpec& spec) {
  return spec.name.starts_with("objective.");
}

/// Returns a draw as Hugging Face makes it.
double encoder_value(const ParameterSpec& spec, PhiloxStream& stream) {
  if (spec.shape.size() == 2) return 0.02 * normal(stream);
  return spec.name.find("LayerNorm.weight") != std::string::npos ? 1.0 : 0.0;
}

/// Returns a draw as `torch.nn.Linear` makes it.
double linear_value(std::int64_t inputs, PhiloxStream& stream) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  return bound * (2.0 * stream.uniform() - 1.0);
}

/// Inputs of the linear layer that the weight or bias belongs to.
std::int64_t inputs_of(const ParameterStore& parameters, const ParameterSpec& spec) {
  constexpr std::string_view bias = "bias";
  if (!spec.name.ends_with(bias)) return spec.shape.back();
  const std::string weight = spec.name.substr(0, spec.name.size() - bias.size()) + "weight";
  return parameters.specs()[parameters.index_of(weight)].shape.back();
}

}  // namespace

void initialize_encoder(ParameterStore& parameters, std::uint64_t seed) {
  for_each_element(
      parameters, seed, [](const ParameterSpec& spec) { return !is_head(spec) && !is_of_objective(spec); },
      encoder_value);
}

void initialize_head(ParameterStore& parameters, std::uint64_t seed) {
  const auto value = [&](const ParameterSpec& spec, PhiloxStream& stream) {
    return spec.name.starts_with("head.mlp.") ? encoder_value(spec, stream)
                                              : linear_value(inputs_of(parameters, spec), stream);
  };
  for_each_element(parameters, seed, is_head, value);
}

void start_at_identity(ParameterStore& parameters) {
  const auto set = [&](const std::string& name, double diagonal) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const ParameterSpec& spec = parameters.specs()[i];
      if (spec.name != name) continue;
      parameters.write_value(i, [&](at::Tensor flat) {
        flat.zero_();
        if (spec.shape.size() == 2) flat.view(spec.shape).diagonal().fill_(diagonal);
      });
    }
  };
  set("head.mean.weight", 1);
  set("head.mean.bias", 0);
  set("head.log_var.weight", 0);
}

void set_log_var_bias(ParameterStore& parameters, std::span<const double> log_var) {
  parameters.write_value(parameters.index_of("head.log_var.bias"), [&](at::Tensor flat) {
    GAUSSCSE_CHECK(flat.numel() == static_cast<std::int64_t>(log_var.size()), "a log-variance for each dimension");
    flat.copy_(at::tensor(log_var, at::kDouble));
  });
}

std::vector<double> log_var_of_differences(const at::Tensor& means) {
  GAUSSCSE_CHECK(means.size(0) >= 2, "two sentences at least");
  // The mean over all pairs of two different rows is twice the unbiased variance.
  const at::Tensor squares = means.to(at::kCPU, at::kDouble).var(0, /*unbiased=*/true).mul_(2);
  const at::Tensor log_var = squares.clamp_min(1e-6 * squares.mean().item<double>()).log_();
  return {log_var.const_data_ptr<double>(), log_var.const_data_ptr<double>() + log_var.numel()};
}

void initialize_objective(ParameterStore& parameters, std::uint64_t seed) {
  for_each_element(parameters, seed, is_of_objective, [&](const ParameterSpec& spec, PhiloxStream& stream) {
    return linear_value(inputs_of(parameters, spec), stream);
  });
}

}  // namespace gausscse
