#pragma once

#include <CLI/CLI.hpp>

#include "launcher/measured_model.hpp"

namespace gausscse {

/// MODEL, --precision and --pooling of the commands that embed sentences.
void add_measured_model_options(CLI::App& command, MeasuredModelOptions& options);

}  // namespace gausscse
