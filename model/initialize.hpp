#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "model/batch/parameter_store.hpp"

namespace gausscse {

/// Draws encoder weights as Hugging Face does: normal with deviation 0.02, biases 0, layer norms 1. Each parameter
/// draws from its own stream under `seed`.
void initialize_encoder(ParameterStore& parameters, std::uint64_t seed);

/// Draws weights of the head, if there is one: of a Gaussian head as `torch.nn.Linear` draws them, uniform in
/// +-1/sqrt(hidden), weights and biases; of mlp_tanh as an encoder's (SimCSE).
void initialize_head(ParameterStore& parameters, std::uint64_t seed);

/// Makes a Gaussian head one whose mean is the pooled vector and whose log-variance is its bias. The mean's layer has
/// the identity and a bias of 0, and the log-variance's last layer weights of 0. Other parameters stay as they are.
void start_at_identity(ParameterStore& parameters);

/// Sets the bias of a Gaussian head's log-variance, a value for each dimension.
void set_log_var_bias(ParameterStore& parameters, std::span<const double> log_var);

/// Returns the log-variance that suits means [sentences, dimensions]: for each dimension the logarithm of the mean
/// squared difference between the means of two of the sentences. Dimensions that hardly differ count as much as a
/// millionth of the average; where none differs, all are -infinity. Throws std::logic_error for fewer than two
/// sentences.
std::vector<double> log_var_of_differences(const at::Tensor& means);

/// Draws weights of the objective's own parameters, if it has any, as `torch.nn.Linear` draws them: uniform in
/// +-1/sqrt(inputs), weights and biases.
void initialize_objective(ParameterStore& parameters, std::uint64_t seed);

}  // namespace gausscse
