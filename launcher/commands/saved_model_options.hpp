#pragma once

#include <CLI/CLI.hpp>

#include "launcher/saved_model.hpp"

namespace gausscse {

void add_saved_model_options(CLI::App& command, SavedModelOptions& options);

}  // namespace gausscse
