#include "launcher/commands/saved_model_options.hpp"

namespace gausscse {

void add_saved_model_options(CLI::App& command, SavedModelOptions& options) {
  command.add_option("MODEL_DIR", options.folder, "folder `model` of a finished run")->required();
  command.add_option("--precision", options.precision, "of matrix products (default: as in training)")
      ->check(CLI::IsMember(words_of<Precision>()));
}

}  // namespace gausscse
