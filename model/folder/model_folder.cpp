#include "model/folder/model_folder.hpp"

#include <span>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder_mark.hpp"
#include "model/folder/properties_file.hpp"
#include "model/folder/saved_properties.hpp"
#include "model/hub/given_folder.hpp"
#include "model/weights/encoder_weights.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr const char* former_file = "gaussian_head.safetensors";
constexpr std::int64_t least_max_tokens = 3;  // special ones at both ends, and one of the sentence
constexpr std::size_t largest_tokenizer_file = std::size_t{256} << 20;

/// Calls `use` with a parameter's values, which it may write.
template <typename Use>
void with_values(ParameterStore& parameters, std::size_t index, const Use& use) {
  parameters.write_value(index, [&](at::Tensor flat) {
    use(std::span<float>(flat.mutable_data_ptr<float>(), static_cast<std::size_t>(flat.numel())));
  });
}

[[noreturn]] void throw_not_a_model(const fs::path& folder) {
  if (fs::exists(folder / former_file))
    throw InputError(concat((folder / former_file).string(), ": is of a former format of saved models, which this ",
                            "version of gausscse does not read: train it again with this version, ",
                            "or open it with the version that saved it"));
  throw InputError(concat(folder.string(), ": has no ", model_properties_file,
                          ": this is not a model that gausscse trained (give the folder `model` of a finished run)"));
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

bool is_saved_model(const fs::path& folder) {
  return fs::exists(folder / model_properties_file) || fs::exists(folder / former_file);
}

SavedModel open_model(const fs::path& folder, std::optional<Precision> precision, at::Device device) {
  check_model_folder(folder);
  const fs::path path = folder / model_properties_file;
  if (!fs::exists(path)) throw_not_a_model(folder);
  const PropertiesFile file(folder);
  SavedModel model;
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder);
  settings.pooling = file.choice<PoolingKind>("pooling");
  settings.head = file.head();
  settings.precision = precision.value_or(file.choice<Precision>("precision"));
  settings.device = device;
  model.properties = read_properties(file, folder, settings.head);
  model.properties.max_tokens =
      file.whole_number("max_tokens", least_max_tokens, static_cast<std::int64_t>(settings.encoder.max_tokens()));
  settings.objective = file.objective_parameters();
  model.encoder = std::make_unique<SentenceEncoder>(settings);
  load_encoder_weights(folder, *model.encoder);
  load_properties_tensors(file, *model.encoder);
  model.encoder->parameters_changed();
  return model;
}

void save_model(const fs::path& folder, const SentenceEncoder& encoder, const ModelProperties& properties,
                const std::vector<fs::path>& tokenizer_files, const std::string& card,
                const SentenceTransformersSettings& form) {
  const at::Tensor values = encoder.parameters().values().cpu();
  const SafetensorsImage weights(tensors_of(encoder.parameters(), values, TensorsOf::encoder), {{"format", "pt"}});
  const SafetensorsImage head(tensors_of(encoder.parameters(), values, TensorsOf::head_and_objective),
                              metadata_of(encoder.settings(), properties));
  AtomicFolder output(folder);
  output.add_file("config.json", to_config_json(encoder.settings().encoder));
  output.add_file("model.safetensors", weights.parts());
  if (form.has_properties) output.add_file(model_properties_file, head.parts());
  if (form.has_properties && !properties.calibration.empty()) output.add_file(calibration_file, properties.calibration);
  for (const fs::path& file : tokenizer_files)
    output.add_file(file.filename(), read_whole_file(file, largest_tokenizer_file));
  output.add_file("README.md", card);
  if (opens_in_sentence_transformers(encoder.settings().pooling))
    add_sentence_transformers_files(output, encoder, form, properties.max_tokens);
  else if (form.lowers_sentences)
    add_sentence_settings(output, form, properties.max_tokens, encoder.settings().encoder.architecture);
  output.commit(AtomicFolder::Existing::replace);
}

}  // namespace gausscse
