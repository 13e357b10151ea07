#pragma once

#include <cstdint>

#include "model/encoder/parameter_store.hpp"

namespace gausscse {

/// Draws encoder weights as Hugging Face does: normal with deviation 0.02, biases 0, layer norms 1. Each parameter
/// draws from its own stream under `seed`.
void initialize_encoder(ParameterStore& parameters, std::uint64_t seed);

/// Draws weights of the head, if there is one: of a Gaussian head as `torch.nn.Linear` draws them, uniform in
/// +-1/sqrt(hidden), weights and biases; of mlp_tanh as an encoder's (SimCSE).
void initialize_head(ParameterStore& parameters, std::uint64_t seed);

/// Draws weights of the objective's own parameters, if it has any, as `torch.nn.Linear` draws them: uniform in
/// +-1/sqrt(inputs), weights and biases.
void initialize_objective(ParameterStore& parameters, std::uint64_t seed);

}  // namespace gausscse
