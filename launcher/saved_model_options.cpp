#include "launcher/saved_model_options.hpp"

#include <optional>

#include "experiments/training/trial_data.hpp"

namespace gausscse {

void add_saved_model_options(CLI::App& command, SavedModelOptions& options) {
  command.add_option("MODEL_DIR", options.folder, "folder `model` of a finished run")->required();
  command.add_option("--precision", options.precision, "of matrix products (default: as in training)")
      ->check(CLI::IsMember({"fp32", "bf16"}));
}

SavedModelWithTokenizer open_saved_model(const SavedModelOptions& options) {
  std::optional<Precision> precision;
  if (!options.precision.empty()) precision = options.precision == "bf16" ? Precision::bfloat16 : Precision::full;
  SavedModelWithTokenizer opened{open_model(options.folder, precision), open_tokenizer(options.folder)};
  check_vocabulary(*opened.tokenizer, opened.encoder->settings().encoder);
  return opened;
}

}  // namespace gausscse
