#pragma once

#include <memory>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "model/model_folder.hpp"

namespace gausscse {

/// MODEL_DIR and --precision of the commands that use a saved model.
struct SavedModelOptions {
  std::string folder, precision;
};

struct SavedModelWithTokenizer : SavedModel {
  std::unique_ptr<Tokenizer> tokenizer;
};

/// Opens both, the model on `device`. With several ranks each opens its own, which `agreement_text` compares. Throws
/// InputError, also where the tokenizer is not the encoder's.
SavedModelWithTokenizer open_saved_model(const SavedModelOptions& options, at::Device device);

/// What the ranks must have in common of a model that each of them opened, a line each, for `check_agreement`: hashes
/// of weights, head, configuration and tokenizer, and the precision.
std::string agreement_text(const SavedModelOptions& options, const SavedModelWithTokenizer& model);

/// `what` of such a check, in commands that read files with a model.
inline constexpr const char* model_and_inputs = "the model, an input or an option";

}  // namespace gausscse
