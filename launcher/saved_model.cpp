#include "launcher/saved_model.hpp"

#include <filesystem>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "launcher/reading_notes.hpp"

namespace gausscse {

SavedModelWithTokenizer open_saved_model(const SavedModelOptions& options, at::Device device) {
  std::optional<Precision> precision;
  if (!options.precision.empty()) precision = parse_choice<Precision>("--precision", options.precision);
  SavedModelWithTokenizer opened{open_model(options.folder, precision, device), open_tokenizer(options.folder)};
  tell_tokenizer(*opened.tokenizer, opened.encoder->settings().encoder);
  return opened;
}

std::string agreement_text(const SavedModelOptions& options, const SavedModelWithTokenizer& model) {
  const at::Tensor weights = model.encoder->parameters().values().cpu();
  const std::string weights_hash =
      content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()});
  std::string text = concat("the weights ", weights_hash, "\nthe tokenizer ", model.tokenizer->fingerprint(), "\n");
  for (const char* name : {model_properties_file, "config.json"})
    text += concat(name, " ", content_hash(std::filesystem::path(options.folder) / name), "\n");
  return text + concat("precision ", name_of(model.encoder->settings().precision), "\n");
}

}  // namespace gausscse
