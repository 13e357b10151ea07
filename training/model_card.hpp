#pragma once

#include <string>

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns the README.md of a saved model, in the layout of Hugging Face's model cards: what it is, how it was trained,
/// what it scored, how to use it.
std::string model_card(const Trial& trial, const StateResult& state);

}  // namespace gausscse
