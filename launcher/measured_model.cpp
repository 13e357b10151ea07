#include "launcher/measured_model.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "launcher/encoder_folder.hpp"
#include "launcher/saved_model.hpp"
#include "launcher/word_vector_model.hpp"
#include "model/sentence_transformers_folder.hpp"

namespace gausscse {

namespace {

void count_parameters(const SentenceEncoder& encoder, MeasuredModel& model) {
  const EncoderConfig& config = encoder.settings().encoder;
  model.parameters = encoder.parameters().values().numel();
  model.embedding_parameters = config.vocabulary_size * config.hidden_size;
}

MeasuredModel open_saved(const MeasuredModelOptions& options, at::Device device) {
  const SavedModelOptions saved{options.path, options.precision};
  SavedModelWithTokenizer opened = open_saved_model(saved, device);
  const std::string_view trained_with = name_of(opened.encoder->settings().pooling);
  if (!options.pooling.empty() && options.pooling != trained_with)
    throw InputError(concat("--pooling ", options.pooling, ": ", options.path, " was trained with ", trained_with,
                            ": leave --pooling out"));
  MeasuredModel model;
  model.agreement = agreement_text(saved, opened);
  model.positions = opened.encoder->settings().encoder.max_tokens();
  model.max_tokens = static_cast<std::size_t>(opened.properties.max_tokens);
  count_parameters(*opened.encoder, model);
  model.similarity = opened.properties.similarity;
  model.trim = opened.properties.trim;
  model.threshold = opened.properties.threshold;
  model.classifier = opened.properties.classifier;
  model.state = opened.properties.state;
  model.step = opened.properties.step;
  model.evaluation = opened.properties.evaluation;
  model.embedder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

MeasuredModel open_word_vectors(const MeasuredModelOptions& options, ControlGroup& ranks, bool show_progress) {
  for (const auto& [option, value] : {std::pair{"--pooling", options.pooling}, {"--precision", options.precision}})
    if (!value.empty())
      throw InputError(concat(option, " ", value, ": ", options.path,
                              " is a file, so that its lines are word vectors, ",
                              "whose mean in float32 stands for a sentence: leave ", option, " out"));
  return open_word_vector_model(options.path, ranks, show_progress);
}

MeasuredModel open_folder(const MeasuredModelOptions& options, at::Device device) {
  std::filesystem::path folder = options.path;
  PoolingKind pooling;
  if (!options.pooling.empty()) {
    pooling = parse_choice<PoolingKind>("--pooling", options.pooling);
  } else if (const auto said = read_sentence_transformers_folder(folder)) {
    folder = said->encoder;
    pooling = said->pooling;
  } else {
    throw InputError(concat(options.path, ": tells nowhere what stands for a sentence (it is no folder `model` of a ",
                            "finished run, and has no modules.json): give --pooling ", listed_words<PoolingKind>()));
  }
  const auto precision =
      options.precision.empty() ? Precision::full : parse_choice<Precision>("--precision", options.precision);
  EncoderWithTokenizer opened = open_encoder_folder(folder, precision, device, pooling);
  MeasuredModel model;
  model.agreement = concat(agreement_text(folder, opened), "pooling ", name_of(pooling), "\n");
  model.positions = model.max_tokens = opened.encoder->settings().encoder.max_tokens();
  count_parameters(*opened.encoder, model);
  model.embedder = std::move(opened.encoder);
  model.tokenizer = std::move(opened.tokenizer);
  return model;
}

}  // namespace

MeasuredModel open_measured_model(const MeasuredModelOptions& options, at::Device device, ControlGroup& ranks,
                                  bool show_progress) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.path, error);
  if (std::filesystem::is_regular_file(status)) return open_word_vectors(options, ranks, show_progress);
  if (!std::filesystem::is_directory(status))
    throw InputError(concat(options.path, ": no such file or folder: give the folder `model` of a finished run, the ",
                            "folder of an encoder, or a file of word vectors"));
  return is_saved_model(options.path) ? open_saved(options, device) : open_folder(options, device);
}

}  // namespace gausscse
