#include "launcher/measured_model.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "launcher/encoder_folder.hpp"
#include "launcher/saved_model.hpp"

namespace gausscse {

namespace {

MeasuredModel open_with_head(const MeasuredModelOptions& options) {
  const SavedModelOptions saved{options.folder, options.precision};
  SavedModelWithTokenizer opened = open_saved_model(saved);
  const std::string_view trained_with = name_of(opened.encoder->settings().pooling);
  if (!options.pooling.empty() && options.pooling != trained_with)
    throw InputError(concat("--pooling ", options.pooling, ": the head of ", options.folder, " was trained with ",
                            trained_with, ": leave --pooling out"));
  MeasuredModel model;
  model.agreement = agreement_text(saved, opened);
  model.max_tokens = static_cast<std::size_t>(opened.properties.max_tokens);
  model.similarity = opened.properties.similarity;
  model.encoder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

}  // namespace

MeasuredModel open_measured_model(const MeasuredModelOptions& options) {
  if (has_gaussian_head(options.folder)) return open_with_head(options);
  if (options.pooling.empty())
    throw InputError(concat(options.folder, ": is not the folder `model` of a finished run, so that it does not tell ",
                            "what stands for a sentence: give --pooling ", listed_words<PoolingKind>()));
  const auto precision =
      options.precision.empty() ? Precision::full : parse_choice<Precision>("--precision", options.precision);
  EncoderWithTokenizer opened =
      open_encoder_folder(options.folder, precision, parse_choice<PoolingKind>("--pooling", options.pooling));
  MeasuredModel model;
  model.agreement = concat(agreement_text(options.folder, opened), "pooling ", options.pooling, "\n");
  model.max_tokens = opened.encoder->settings().encoder.max_tokens();
  model.encoder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

}  // namespace gausscse
