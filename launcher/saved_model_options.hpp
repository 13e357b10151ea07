#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "model/model_folder.hpp"

namespace gausscse {

/// MODEL_DIR and --precision of the commands that use a saved model.
struct SavedModelOptions {
  std::string folder, precision;
};

void add_saved_model_options(CLI::App& command, SavedModelOptions& options);

struct SavedModelWithTokenizer : SavedModel {
  std::unique_ptr<Tokenizer> tokenizer;
};

/// Opens both. Throws InputError, also where the tokenizer is not the encoder's.
SavedModelWithTokenizer open_saved_model(const SavedModelOptions& options);

}  // namespace gausscse
