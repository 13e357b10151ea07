#pragma once

#include <string>

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns the README.md of a saved model, in the layout of Hugging Face's model cards: its description, its training,
/// its scores and those of its backbone, its use. `pooling` is the one that it was trained with.
std::string model_card(const Trial& trial, PoolingKind pooling, const StateResult& state);

}  // namespace gausscse
