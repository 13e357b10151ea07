#include "launcher/measured_model.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "launcher/encoder_folder.hpp"
#include "launcher/saved_model.hpp"
#include "model/sentence_transformers_folder.hpp"

namespace gausscse {

namespace {

MeasuredModel open_saved(const MeasuredModelOptions& options) {
  const SavedModelOptions saved{options.folder, options.precision};
  SavedModelWithTokenizer opened = open_saved_model(saved, options.device);
  const std::string_view trained_with = name_of(opened.encoder->settings().pooling);
  if (!options.pooling.empty() && options.pooling != trained_with)
    throw InputError(concat("--pooling ", options.pooling, ": ", options.folder, " was trained with ", trained_with,
                            ": leave --pooling out"));
  MeasuredModel model;
  model.agreement = agreement_text(saved, opened);
  model.max_tokens = static_cast<std::size_t>(opened.properties.max_tokens);
  model.similarity = opened.properties.similarity;
  model.trim = opened.properties.trim;
  model.threshold = opened.properties.threshold;
  model.classifier = opened.properties.classifier;
  model.state = opened.properties.state;
  model.step = opened.properties.step;
  model.evaluation = opened.properties.evaluation;
  model.encoder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

}  // namespace

MeasuredModel open_measured_model(const MeasuredModelOptions& options) {
  if (is_saved_model(options.folder)) return open_saved(options);
  std::filesystem::path folder = options.folder;
  PoolingKind pooling;
  if (!options.pooling.empty()) {
    pooling = parse_choice<PoolingKind>("--pooling", options.pooling);
  } else if (const auto said = read_sentence_transformers_folder(folder)) {
    folder = said->encoder;
    pooling = said->pooling;
  } else {
    throw InputError(concat(options.folder, ": tells nowhere what stands for a sentence (it is no folder `model` of a ",
                            "finished run, and has no modules.json): give --pooling ", listed_words<PoolingKind>()));
  }
  const auto precision =
      options.precision.empty() ? Precision::full : parse_choice<Precision>("--precision", options.precision);
  EncoderWithTokenizer opened = open_encoder_folder(folder, precision, options.device, pooling);
  MeasuredModel model;
  model.agreement = concat(agreement_text(folder, opened), "pooling ", name_of(pooling), "\n");
  model.max_tokens = opened.encoder->settings().encoder.max_tokens();
  model.encoder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

}  // namespace gausscse
