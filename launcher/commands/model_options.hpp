#pragma once

#include <CLI/CLI.hpp>

#include "inference/sentence_model.hpp"

namespace gausscse {

/// Adds MODEL, --precision and --pooling of the commands that embed sentences.
void add_model_options(CLI::App& command, SentenceModelOptions& options);

}  // namespace gausscse
