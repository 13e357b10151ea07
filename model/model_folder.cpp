#include "model/model_folder.hpp"

#include <charconv>
#include <limits>
#include <span>

#include "base/atomic_folder.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/model_folder.hpp"
#include "base/saved_files.hpp"
#include "model/model_metadata.hpp"
#include "model/weights/encoder_weights.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr const char* former_file = "gaussian_head.safetensors";
constexpr const char* format_key = "gausscse";  // in the metadata
constexpr const char* model_format = "gausscse-model/2";
constexpr std::string_view head_prefix = "head.";
constexpr std::string_view objective_prefix = "objective.";
constexpr std::string_view evaluation_prefix = "evaluation.";  // of settings in the metadata
constexpr std::int64_t least_max_tokens = 3;                   // special ones at both ends, and one of the sentence
constexpr std::size_t largest_tokenizer_file = std::size_t{256} << 20;

/// `use` is given a parameter's values, and may write them.
template <typename Use>
void with_values(ParameterStore& parameters, std::size_t index, const Use& use) {
  parameters.write_value(index, [&](at::Tensor flat) {
    use(std::span<float>(flat.mutable_data_ptr<float>(), static_cast<std::size_t>(flat.numel())));
  });
}

bool is_of_encoder(const std::string& parameter) {
  return !parameter.starts_with(head_prefix) && !parameter.starts_with(objective_prefix);
}

/// The name that a parameter has in a file.
std::string file_name_of(const ParameterSpec& spec) {
  return spec.name.starts_with(head_prefix) ? spec.name.substr(head_prefix.size()) : spec.name_in_file();
}

/// The encoder's parameters, or the others, under the names that files have; `values` are all of them, on the CPU.
std::vector<TensorEntry> tensors_of(const ParameterStore& parameters, const at::Tensor& values, bool of_encoder) {
  std::vector<TensorEntry> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterSpec& spec = parameters.specs()[i];
    if (is_of_encoder(spec.name) != of_encoder) continue;
    tensors.push_back(float32_tensor(
        file_name_of(spec), spec.shape,
        {values.const_data_ptr<float>() + parameters.offset(i), static_cast<std::size_t>(parameters.count(i))}));
  }
  return tensors;
}

std::string shortest_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void check_format(const ModelMetadata& metadata, const fs::path& path) {
  const std::string& given = metadata.text(format_key);
  if (given != model_format)
    throw InputError(concat(path.string(), ": metadata ", quoted(format_key), " is ", quoted(given),
                            ", but this version of gausscse reads ", model_format,
                            ": open it with the version that saved it"));
}

/// Parameters of the training objective that the file holds; nothing here knows what they should be.
std::vector<ParameterSpec> objective_parameters_of(const SafetensorsFile& file) {
  std::vector<ParameterSpec> specs;
  for (const TensorEntry& tensor : file.tensors())
    if (tensor.name.starts_with(objective_prefix)) specs.push_back({tensor.name, tensor.shape});
  return specs;
}

/// Reads a parameter that is not the encoder's.
void load_tensor(const SafetensorsFile& file, const fs::path& path, std::size_t index, SentenceEncoder& encoder) {
  const ParameterSpec& spec = encoder.parameters().specs()[index];
  const std::string name = file_name_of(spec);
  const TensorEntry* tensor = file.find(name);
  if (!tensor) throw InputError(concat(path.string(), ": tensor ", quoted(name), " is missing"));
  if (tensor->shape != spec.shape)
    throw InputError(concat(path.string(), ": tensor ", quoted(name), " does not have the shape that the encoder's ",
                            "hidden size of ", encoder.settings().encoder.hidden_size, " asks for"));
  with_values(encoder.parameters(), index, [&](std::span<float> values) {
    copy_to_float32(*tensor, values);
    if (const std::size_t bad = count_non_finite(values); bad != 0)
      throw InputError(concat(path.string(), ": tensor ", quoted(name), " has infinite or NaN values (", bad, " of ",
                              values.size(), "): the model is damaged, get it again"));
  });
}

/// The head's parameters and the objective's.
void load_properties_tensors(const SafetensorsFile& file, const fs::path& path, SentenceEncoder& encoder) {
  std::size_t expected = 0;
  for (std::size_t i = 0; i < encoder.parameters().size(); ++i) {
    if (is_of_encoder(encoder.parameters().specs()[i].name)) continue;
    ++expected;
    load_tensor(file, path, i, encoder);
  }
  if (file.tensors().size() != expected)
    throw InputError(
        concat(path.string(), ": holds ", file.tensors().size(), " tensors, its head and objective have ", expected));
}

std::string head_text(const HeadSettings& head) {
  return head.kind == HeadKind::gaussian ? concat("gaussian, mean ", name_of(head.mean))
                                         : std::string(name_of(head.kind));
}

HeadSettings head_of(const ModelMetadata& metadata) {
  HeadSettings head{metadata.choice<HeadKind>("head")};
  if (head.kind == HeadKind::gaussian) head.mean = metadata.choice<MeanActivation>("mean");
  return head;
}

[[noreturn]] void throw_not_a_model(const fs::path& folder) {
  if (fs::exists(folder / former_file))
    throw InputError(concat((folder / former_file).string(), ": is of a former format of saved models, which this ",
                            "version of gausscse does not read: save the model anew by training it with this version, ",
                            "or open it with the version that saved it"));
  throw InputError(concat(folder.string(), ": has no ", model_properties_file,
                          ": this is not a model that gausscse trained (give the folder `model` of a finished run)"));
}

std::map<std::string, std::string> metadata_of(const SentenceEncoderSettings& settings,
                                               const ModelProperties& properties) {
  std::map<std::string, std::string> metadata = {{format_key, model_format},
                                                 {"pooling", std::string(name_of(settings.pooling))},
                                                 {"head", std::string(name_of(settings.head.kind))},
                                                 {"precision", std::string(name_of(settings.precision))},
                                                 {"similarity", std::string(name_of(properties.similarity))},
                                                 {"max_tokens", std::to_string(properties.max_tokens)},
                                                 {"trim", properties.trim ? "true" : "false"},
                                                 {"state", properties.state},
                                                 {"step", std::to_string(properties.step)}};
  if (settings.head.kind == HeadKind::gaussian) metadata.emplace("mean", name_of(settings.head.mean));
  if (properties.classifier) metadata.emplace("classifier", name_of(*properties.classifier));
  if (properties.threshold) metadata.emplace("threshold", shortest_text(*properties.threshold));
  for (const auto& [name, value] : properties.evaluation) metadata.emplace(concat(evaluation_prefix, name), value);
  return metadata;
}

}  // namespace

std::vector<std::string> load_encoder_weights(const fs::path& folder, SentenceEncoder& encoder) {
  const EncoderCheckpoint checkpoint = EncoderCheckpoint::open(folder, encoder.settings().encoder);
  const std::size_t count = encoder_parameters(encoder.settings().encoder).size();
  for (std::size_t i = 0; i < count; ++i)
    with_values(encoder.parameters(), i, [&](std::span<float> values) { checkpoint.load(i, values); });
  encoder.parameters_changed();
  check_saved_files(folder, SavedFiles::all);
  std::vector<std::string> lines;
  if (!checkpoint.wrapper().empty())
    lines.push_back(concat("names of tensors are read without their first part ", quoted(checkpoint.wrapper())));
  std::string dropped;
  for (const std::string& name : checkpoint.dropped()) dropped += concat(dropped.empty() ? "" : ", ", name);
  if (!dropped.empty()) lines.push_back(concat("tensors that are not part of the encoder are left out: ", dropped));
  return lines;
}

LoadedHead load_head_weights(const fs::path& folder, SentenceEncoder& encoder) {
  const fs::path path = folder / model_properties_file;
  const HeadSettings& wanted = encoder.settings().head;
  if (!fs::exists(path)) return {};
  const SafetensorsFile file = SafetensorsFile::open(path);
  const ModelMetadata metadata(file.metadata(), path);
  check_format(metadata, path);
  const HeadSettings head = head_of(metadata);
  if (head.kind != wanted.kind)
    return {false, concat("the head of ", folder.string(), " (", head_text(head), ") is left out, as the trial has ",
                          "another kind (", head_text(wanted), ")")};
  if (head.kind == HeadKind::none) return {};
  const auto pooling = metadata.choice<PoolingKind>("pooling");
  for (std::size_t i = 0; i < encoder.parameters().size(); ++i)
    if (encoder.parameters().specs()[i].name.starts_with(head_prefix)) load_tensor(file, path, i, encoder);
  encoder.parameters_changed();
  return {true,
          concat("the head starts from that of ", folder.string(), " (", head_text(head), ")",
                 head.mean == wanted.mean ? "" : concat(", but its mean gets the activation ", name_of(wanted.mean)),
                 pooling == encoder.settings().pooling ? ""
                                                       : concat(", but its pooling was ", name_of(pooling),
                                                                " and is now ", name_of(encoder.settings().pooling)))};
}

bool is_saved_model(const fs::path& folder) {
  return fs::exists(folder / model_properties_file) || fs::exists(folder / former_file);
}

SavedModel open_model(const fs::path& folder, std::optional<Precision> precision, at::Device device) {
  check_model_folder(folder);
  const fs::path path = folder / model_properties_file;
  if (!fs::exists(path)) throw_not_a_model(folder);
  const SafetensorsFile file = SafetensorsFile::open(path);
  const ModelMetadata metadata(file.metadata(), path);
  check_format(metadata, path);
  SavedModel model;
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder);
  settings.pooling = metadata.choice<PoolingKind>("pooling");
  settings.head = head_of(metadata);
  settings.precision = precision.value_or(metadata.choice<Precision>("precision"));
  settings.device = device;
  model.properties.similarity = metadata.choice<Similarity>("similarity");
  if (is_gaussian(model.properties.similarity) && settings.head.kind != HeadKind::gaussian)
    throw InputError(concat(path.string(), ": metadata \"similarity\" is ", quoted(metadata.text("similarity")),
                            ", which is of Gaussians, but \"head\" is ", quoted(metadata.text("head"))));
  if (metadata.has("classifier")) model.properties.classifier = metadata.choice<ClassifierActivation>("classifier");
  if (metadata.has("threshold")) model.properties.threshold = metadata.number("threshold");
  model.properties.max_tokens =
      metadata.whole_number("max_tokens", least_max_tokens, static_cast<std::int64_t>(settings.encoder.max_tokens()));
  model.properties.trim = metadata.truth("trim");
  model.properties.state = metadata.one_of("state", {"best", "last"});
  model.properties.step = metadata.whole_number("step", 0, std::numeric_limits<std::int64_t>::max());
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with(evaluation_prefix))
      model.properties.evaluation.emplace(key.substr(evaluation_prefix.size()), value);
  settings.objective = objective_parameters_of(file);
  model.encoder = std::make_unique<SentenceEncoder>(settings);
  load_encoder_weights(folder, *model.encoder);
  load_properties_tensors(file, path, *model.encoder);
  model.encoder->parameters_changed();
  return model;
}

void save_model(const fs::path& folder, const SentenceEncoder& encoder, const ModelProperties& properties,
                const std::vector<fs::path>& tokenizer_files, const std::string& card,
                const SentenceTransformersSettings& form) {
  const at::Tensor values = encoder.parameters().values().cpu();
  const SafetensorsImage weights(tensors_of(encoder.parameters(), values, true), {{"format", "pt"}});
  const SafetensorsImage head(tensors_of(encoder.parameters(), values, false),
                              metadata_of(encoder.settings(), properties));
  AtomicFolder output(folder);
  output.add_file("config.json", to_config_json(encoder.settings().encoder));
  output.add_file("model.safetensors", weights.parts());
  output.add_file(model_properties_file, head.parts());
  for (const fs::path& file : tokenizer_files)
    output.add_file(file.filename(), read_whole_file(file, largest_tokenizer_file));
  output.add_file("README.md", card);
  if (opens_in_sentence_transformers(encoder.settings().pooling))
    add_sentence_transformers_files(output, encoder, form, properties.max_tokens);
  else if (form.lowers_sentences)
    add_sentence_settings(output, form, properties.max_tokens);
  output.commit(AtomicFolder::Existing::replace);
}

}  // namespace gausscse
