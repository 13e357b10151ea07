#include <filesystem>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/lists.hpp"
#include "base/option_name.hpp"
#include "data/tokenizer/prompted_tokenizer.hpp"
#include "inference/sentence_model.hpp"
#include "inference/word_vector_model.hpp"
#include "model/folder/vector_head.hpp"
#include "model/hub/given_folder.hpp"
#include "model/hub/hub_model.hpp"

namespace gausscse {

namespace {

/// Adds the tokenizer, then these files of `folder`, then the precision, a line each.
void add_identity(const SentenceEncoder& encoder, const std::filesystem::path& folder,
                  std::initializer_list<const char*> files, SentenceModel& model) {
  model.identity += concat("the tokenizer ", model.tokenizer->fingerprint(), "\n");
  for (const char* name : files) model.identity += concat(name, " ", content_hash(folder / name), "\n");
  model.identity += concat("precision ", name_of(encoder.settings().precision), "\n");
}

/// Returns the model of an encoder that lies in `folder`, with its tokenizer; sentences are cut to its positions.
SentenceModel model_of(std::unique_ptr<SentenceEncoder> encoder, const std::filesystem::path& folder) {
  const EncoderConfig& config = encoder->settings().encoder;
  SentenceModel model;
  model.tokenizer = model.bare = open_tokenizer(folder);
  model.positions = model.max_tokens = config.max_tokens();
  model.parameters = encoder->parameters().values().numel();
  model.embedding_parameters = config.vocabulary_size * config.hidden_size;
  model.embedder = std::move(encoder);
  return model;
}

/// Limits the tokens of a sentence to --max-tokens, if it is given.
void limit_tokens(const SentenceModelOptions& options, SentenceModel& model) {
  if (options.max_tokens == 0) return;
  if (options.max_tokens > model.positions)
    throw InputError(concat(option_with_value("max-tokens", concat(options.max_tokens)), ": ", options.path,
                            " has positions for ", model.positions, " tokens: give at most that"));
  model.max_tokens = options.max_tokens;
  model.identity += concat("--max-tokens ", options.max_tokens, "\n");
}

/// Puts the chosen prompt before sentences.
void put_prompt(const SentenceModelOptions& options, SentenceModel& model) {
  model.take_prompt(options.prompt);
  if (!model.prompt.empty()) {
    model.notes.info.push_back(concat("the prompt ", quoted(model.prompt), " is put before every sentence"));
  } else if (!model.prompts.texts.empty() && !options.prompt.text) {
    std::vector<std::string> names;
    for (const auto& [name, text] : model.prompts.texts)
      if (!text.empty()) names.push_back(concat(name, " ", quoted(text)));
    if (!names.empty())
      model.notes.info.push_back(concat(options.path, " has prompts, of which none is put before sentences: ",
                                        joined(names), ": choose one by ", option_name("prompt-name")));
  }
}

SentenceModel open_saved(const SentenceModelOptions& options, at::Device device) {
  std::optional<Precision> precision;
  if (!options.precision.empty()) precision = parse_choice<Precision>(option_name("precision"), options.precision);
  SavedModel saved = open_model(options.path, precision, device);
  const SentenceEncoder& encoder = *saved.encoder;
  SentenceModel model = model_of(std::move(saved.encoder), options.path);
  note_tokenizer(*model.tokenizer, encoder.settings().encoder, model.notes);
  const std::string_view trained_with = name_of(encoder.settings().pooling);
  if (!options.pooling.empty() && options.pooling != trained_with)
    throw InputError(concat(option_with_value("pooling", options.pooling), ": ", options.path, " was trained with ",
                            trained_with, ": leave ", option_name("pooling"), " out"));
  add_identity(encoder, options.path, {model_properties_file, "config.json"}, model);
  model.properties = std::move(saved.properties);
  model.max_tokens = static_cast<std::size_t>(model.properties.max_tokens);
  return model;
}

/// Opens a head for vectors.
SentenceModel open_head(const SentenceModelOptions& options, at::Device device) {
  for (const auto& [option, is_given] : {std::pair{option_name("pooling"), !options.pooling.empty()},
                                         {option_name("precision"), !options.precision.empty()},
                                         {option_name("max-tokens"), options.max_tokens > 0},
                                         {option_name("prompt"), options.prompt.text.has_value()},
                                         {option_name("prompt-name"), !options.prompt.name.empty()}})
    if (is_given)
      throw InputError(
          concat(option, ": ", options.path, " is a head for vectors, without an encoder: leave ", option, " out"));
  SavedModel saved = open_vector_head(options.path, device);
  SentenceModel model;
  model.properties = std::move(saved.properties);
  model.parameters = saved.encoder->parameters().values().numel();
  model.positions = model.max_tokens = no_limit_of_tokens;
  model.identity = concat(model_properties_file, " ",
                          content_hash(std::filesystem::path(options.path) / model_properties_file), "\n");
  model.embedder = std::move(saved.encoder);
  return model;
}

SentenceModel open_word_vectors(const SentenceModelOptions& options, const ReadProgress& progress) {
  for (const auto& [option, value] : {std::pair{"pooling", options.pooling},
                                      {"precision", options.precision},
                                      {"max-tokens", options.max_tokens > 0 ? std::to_string(options.max_tokens) : ""},
                                      {"prompt", options.prompt.text.value_or("")},
                                      {"prompt-name", options.prompt.name}})
    if (!value.empty())
      throw InputError(concat(option_with_value(option, value), ": ", options.path,
                              " is a file, so that its lines are word vectors, ",
                              "and a sentence's vector is their mean in float32: leave ", option_name(option), " out"));
  return open_word_vector_model(options.path, progress);
}

SentenceModel open_folder(const SentenceModelOptions& options, at::Device device) {
  const bool pooling_is_given = !options.pooling.empty();
  const ModelFolder folder =
      read_model_folder(options.path, pooling_is_given ? FolderPart::pooled_encoder : FolderPart::sentence_vectors);
  std::error_code ignored;
  if (!std::filesystem::exists(folder.encoder / "config.json", ignored))
    throw InputError(concat(options.path, ": there is no model in this folder, as it has no config.json: give the ",
                            "folder `model` of a finished run, or the folder of an encoder"));
  if (!pooling_is_given && !folder.pooling)
    throw InputError(concat(options.path, ": does not say how to pool token states (it is no folder `model` of a ",
                            "finished run, and has no modules.json): give ", option_name("pooling"), " ",
                            listed_words<PoolingKind>()));
  const PoolingKind pooling =
      pooling_is_given ? parse_choice<PoolingKind>(option_name("pooling"), options.pooling) : *folder.pooling;
  const auto precision = options.precision.empty()
                             ? Precision::full
                             : parse_choice<Precision>(option_name("precision"), options.precision);
  SentenceModel model = open_encoder(folder, precision, device, pooling);
  if (folder.pooling && *folder.pooling != pooling)
    model.notes.warnings.push_back(concat(option_with_value("pooling", options.pooling), ": the pooling of ",
                                          options.path, " itself is ", name_of(*folder.pooling)));
  model.identity += concat("pooling ", name_of(pooling), "\n");
  return model;
}

}  // namespace

SentenceModel open_encoder(const ModelFolder& folder, Precision precision, at::Device device, PoolingKind pooling) {
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder.encoder);
  settings.pooling = pooling;
  settings.head.kind = HeadKind::none;
  settings.precision = precision;
  settings.device = device;
  auto opened = std::make_unique<SentenceEncoder>(settings);
  SentenceEncoder& encoder = *opened;
  SentenceModel model = model_of(std::move(opened), folder.encoder);
  model.prompts = folder.prompts;
  model.notes = {.info = folder.notes, .warnings = folder.warnings};
  note_tokenizer(*model.tokenizer, settings.encoder, model.notes);
  for (const std::string& line : load_encoder_weights(folder.encoder, encoder)) model.notes.info.push_back(line);
  add_identity(encoder, folder.encoder, {"config.json"}, model);
  return model;
}

SentenceModel open_sentence_model(const SentenceModelOptions& given, at::Device device, const ReadProgress& progress) {
  SentenceModelOptions options = given;
  options.path = model_folder_of(given.path).string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.path, error);
  if (options.may_be_head && is_vector_head(options.path)) return open_head(options, device);
  if (const std::string other = other_than_model(options.path); !other.empty())
    throw InputError(concat(options.path, ": ", other));
  if (std::filesystem::is_regular_file(status)) return open_word_vectors(options, progress);
  if (is_piped_input(options.path) || !lost_pipe_text(options.path).empty())
    throw InputError(concat(options.path, ": is a pipe, and a model is read more than once: copy its content into a ",
                            "file, and give that"));
  if (!std::filesystem::is_directory(status))
    throw InputError(concat(options.path, ": no such file or folder: give the folder `model` of a finished run, the ",
                            "folder of an encoder, or a file of word vectors", hub_advice(options.path)));
  SentenceModel model = is_saved_model(options.path) ? open_saved(options, device) : open_folder(options, device);
  limit_tokens(options, model);
  put_prompt(options, model);
  return model;
}

}  // namespace gausscse
