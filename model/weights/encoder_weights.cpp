#include "model/weights/encoder_weights.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/encoder_family.hpp"

namespace gausscse {

namespace {

/// Returns the prefix that a wrapper gave the names of the encoder's tensors, such as "module." or "0.auto_model.", as
/// the tensor of word embeddings has it. Empty where there is none, or where several encoders have different ones.
std::string wrapper_of(const std::map<std::string, const TensorEntry*>& tensors, const EncoderFamily& family) {
  constexpr std::string_view word_embeddings = "embeddings.word_embeddings.weight";
  const std::string of_family = family.model_type + ".";
  std::optional<std::string> wrapper;
  for (const auto& [name, entry] : tensors) {
    if (!name.ends_with(word_embeddings)) continue;
    std::string prefix = name.substr(0, name.size() - word_embeddings.size());
    if (prefix == of_family || prefix.ends_with("." + of_family)) prefix.resize(prefix.size() - of_family.size());
    if (!prefix.empty() && prefix.back() != '.') continue;
    if (wrapper && *wrapper != prefix) return {};
    wrapper = std::move(prefix);
  }
  return wrapper.value_or("");
}

/// Returns the name in a file of today of a tensor called `name` in any file of the family, behind `wrapper`.
std::string current_name(std::string_view name, const EncoderFamily& family, std::string_view wrapper) {
  if (name.starts_with(wrapper)) name.remove_prefix(wrapper.size());
  const std::string prefix = family.model_type + ".";
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string current(name);
  const auto rename_end = [&](std::string_view from, std::string_view to) {
    if (current.ends_with(from)) current.replace(current.size() - from.size(), from.size(), to);
  };
  rename_end("LayerNorm.gamma", "LayerNorm.weight");
  rename_end("LayerNorm.beta", "LayerNorm.bias");
  return current;
}

/// Returns whether a tensor of that current name belongs to a part of published models that the encoder does without.
bool is_dropped(const std::string& name, const EncoderFamily& family) {
  const auto begins = [&](const std::string& start) { return name.starts_with(start); };
  const std::vector<std::string> of_all{"pooler.", "cls.", "lm_head.", "classifier.", "qa_outputs."};
  return std::any_of(of_all.begin(), of_all.end(), begins) ||
         std::any_of(family.head_tensors.begin(), family.head_tensors.end(), begins) ||
         name == "embeddings.position_ids" || name == "embeddings.token_type_ids";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += concat(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

bool is_floating_point(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16 || dtype == Dtype::f64;
}

/// Tensors that do not fit, collected so that one message lists all.
class Mismatches {
 public:
  explicit Mismatches(const EncoderFamily& family) : family_(family) {}

  template <typename... Parts>
  void add(const Parts&... parts) {
    constexpr std::size_t most_named = 10;
    if (++count_ <= most_named) text_ += concat("\n  ", parts...);
  }

  void throw_if_any(std::string_view source_name) const {
    if (count_ == 0) return;
    throw InputError(concat(source_name, ": ", count_, count_ == 1 ? " tensor does" : " tensors do",
                            " not fit the model of config.json", text_, count_ > 10 ? "\n  ..." : "",
                            "\ngive the config.json and the weights of the same ", family_.title, " model"));
  }

 private:
  const EncoderFamily& family_;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

std::size_t ParameterSpec::size() const {
  std::size_t values = 1;
  for (const std::int64_t extent : shape) values *= static_cast<std::size_t>(extent);
  return values;
}

std::vector<ParameterSpec> encoder_parameters(const EncoderConfig& config) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t intermediate = config.intermediate_size;
  std::vector<ParameterSpec> parameters = {
      {"embeddings.word_embeddings.weight", {config.vocabulary_size, hidden}},
      {"embeddings.position_embeddings.weight", {config.max_positions, hidden}},
  };
  if (config.type_vocabulary_size > 0)
    parameters.push_back({"embeddings.token_type_embeddings.weight", {config.type_vocabulary_size, hidden}});
  parameters.push_back({"embeddings.LayerNorm.weight", {hidden}});
  parameters.push_back({"embeddings.LayerNorm.bias", {hidden}});
  if (config.relative_position_buckets > 0)
    parameters.push_back({"encoder.relative_attention_bias.weight", {config.relative_position_buckets, config.heads}});
  const LayerTensors common, own = family_of(config.architecture).tensors;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const auto add = [&](const char* LayerTensors::*tensor, const char* end, std::vector<std::int64_t> shape) {
      parameters.push_back({concat(common.layers, layer, ".", common.*tensor, end), std::move(shape),
                            concat(own.layers, layer, ".", own.*tensor, end)});
    };
    const auto add_both = [&](const char* LayerTensors::*tensor, std::vector<std::int64_t> shape) {
      const std::int64_t outputs = shape.front();
      add(tensor, ".weight", std::move(shape));
      add(tensor, ".bias", {outputs});
    };
    const auto attention = {&LayerTensors::query, &LayerTensors::key, &LayerTensors::value};
    for (const auto tensor : attention) add(tensor, ".weight", {hidden, hidden});
    for (const auto tensor : attention) add(tensor, ".bias", {hidden});
    add_both(&LayerTensors::attention_output, {hidden, hidden});
    add_both(&LayerTensors::attention_norm, {hidden});
    add_both(&LayerTensors::intermediate, {intermediate, hidden});
    add_both(&LayerTensors::output, {hidden, intermediate});
    add_both(&LayerTensors::output_norm, {hidden});
  }
  return parameters;
}

EncoderCheckpoint EncoderCheckpoint::open(const std::filesystem::path& folder, const EncoderConfig& config) {
  EncoderCheckpoint checkpoint(TensorFiles::open(folder));
  const std::vector<ParameterSpec> parameters = encoder_parameters(config);
  std::map<std::string_view, std::size_t> index_of;
  for (std::size_t i = 0; i < parameters.size(); ++i) index_of.emplace(parameters[i].name_in_file(), i);
  checkpoint.entries_.assign(parameters.size(), nullptr);

  const EncoderFamily& family = family_of(config.architecture);
  checkpoint.wrapper_ = wrapper_of(checkpoint.files_.tensors(), family);
  Mismatches mismatches(family);
  for (const auto& [name, entry] : checkpoint.files_.tensors()) {
    const std::string current = current_name(name, family, checkpoint.wrapper_);
    const auto found = index_of.find(current);
    if (found == index_of.end()) {
      if (is_dropped(current, family)) {
        checkpoint.dropped_.push_back(name);
      } else {
        mismatches.add(quoted(name), " has no place in the encoder");
      }
      continue;
    }
    const ParameterSpec& parameter = parameters[found->second];
    const TensorEntry*& slot = checkpoint.entries_[found->second];
    if (slot) {
      mismatches.add(quoted(name), " is there twice, also as ", quoted(slot->name));
    } else if (entry->shape != parameter.shape) {
      mismatches.add(quoted(name), " has the shape ", shape_text(entry->shape), ", config.json makes it ",
                     shape_text(parameter.shape));
    } else if (!is_floating_point(entry->dtype)) {
      mismatches.add(quoted(name), " has the dtype ", dtype_name(entry->dtype), ", weights are F32, F16, BF16 or F64");
    }
    slot = entry;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!checkpoint.entries_[i]) mismatches.add(quoted(parameters[i].name_in_file()), " is missing");
  }
  mismatches.throw_if_any(checkpoint.files_.source_name());
  return checkpoint;
}

void EncoderCheckpoint::load(std::size_t parameter_index, std::span<float> values) const {
  const TensorEntry& entry = *entries_.at(parameter_index);
  if (const std::size_t bad = copy_and_count_non_finite(entry, values); bad != 0) {
    throw InputError(concat(files_.source_name(), ": tensor ", quoted(entry.name), " has infinite or NaN values (", bad,
                            " of ", values.size(), "): the weights are damaged, get them again"));
  }
}

}  // namespace gausscse
