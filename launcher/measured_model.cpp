#include "launcher/measured_model.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/model_argument.hpp"
#include "base/model_folder.hpp"
#include "base/piped_input.hpp"
#include "launcher/encoder_folder.hpp"
#include "launcher/saved_model.hpp"
#include "launcher/word_vector_model.hpp"
#include "model/model_folder_reader.hpp"

namespace gausscse {

namespace {

void count_parameters(const SentenceEncoder& encoder, MeasuredModel& model) {
  const EncoderConfig& config = encoder.settings().encoder;
  model.parameters = encoder.parameters().values().numel();
  model.embedding_parameters = config.vocabulary_size * config.hidden_size;
}

/// Sets what --max-tokens asks for, if it is given.
void limit_tokens(const MeasuredModelOptions& options, MeasuredModel& model) {
  if (options.max_tokens == 0) return;
  if (options.max_tokens > model.positions)
    throw InputError(concat("--max-tokens ", options.max_tokens, ": ", options.path, " has positions for ",
                            model.positions, " tokens: give at most that"));
  model.max_tokens = options.max_tokens;
  model.agreement += concat("--max-tokens ", options.max_tokens, "\n");
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
  for (const auto& [option, value] :
       {std::pair{"--pooling", options.pooling},
        {"--precision", options.precision},
        {"--max-tokens", options.max_tokens > 0 ? std::to_string(options.max_tokens) : ""}})
    if (!value.empty())
      throw InputError(concat(option, " ", value, ": ", options.path,
                              " is a file, so that its lines are word vectors, ",
                              "whose mean in float32 stands for a sentence: leave ", option, " out"));
  return open_word_vector_model(options.path, ranks, show_progress);
}

MeasuredModel open_folder(const MeasuredModelOptions& options, at::Device device) {
  const bool pooling_is_given = !options.pooling.empty();
  const ModelFolder folder =
      read_model_folder(options.path, pooling_is_given ? FolderPart::encoder : FolderPart::sentence_vectors);
  if (!pooling_is_given && !folder.pooling)
    throw InputError(concat(options.path, ": tells nowhere what stands for a sentence (it is no folder `model` of a ",
                            "finished run, and has no modules.json): give --pooling ", listed_words<PoolingKind>()));
  const PoolingKind pooling =
      pooling_is_given ? parse_choice<PoolingKind>("--pooling", options.pooling) : *folder.pooling;
  if (folder.pooling && *folder.pooling != pooling)
    spdlog::warn("--pooling {}: the pooling of {} itself is {}", options.pooling, options.path,
                 name_of(*folder.pooling));
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

MeasuredModel open_measured_model(const MeasuredModelOptions& given, at::Device device, ControlGroup& ranks,
                                  bool show_progress) {
  MeasuredModelOptions options = given;
  options.path = model_folder_of(given.path).string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.path, error);
  if (const std::string other = other_than_model(options.path); !other.empty())
    throw InputError(concat(options.path, ": ", other));
  if (std::filesystem::is_regular_file(status)) return open_word_vectors(options, ranks, show_progress);
  if (is_piped_input(options.path) || !lost_pipe_text(options.path).empty())
    throw InputError(concat(options.path, ": is a pipe, and a model is read more than once: copy what it gives into a ",
                            "file, and give that"));
  if (!std::filesystem::is_directory(status))
    throw InputError(concat(options.path, ": no such file or folder: give the folder `model` of a finished run, the ",
                            "folder of an encoder, or a file of word vectors", hub_advice(options.path)));
  MeasuredModel model = is_saved_model(options.path) ? open_saved(options, device) : open_folder(options, device);
  limit_tokens(options, model);
  return model;
}

}  // namespace gausscse
