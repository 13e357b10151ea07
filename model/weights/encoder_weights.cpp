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
  const std::string word_embeddings = concat(family.tensors.word_embeddings, ".weight");
  const std::string of_family = family.name_prefix();
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
  const std::string prefix = family.name_prefix();
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
  const LayerParts& parts = config.parts();
  const TensorNames common, own = family_of(config.architecture).tensors;
  std::vector<ParameterSpec> parameters;
  const auto add = [&](const std::string& name, const std::string& in_file, std::vector<std::int64_t> shape,
                       bool has_bias) {
    const std::int64_t outputs = shape.front();
    parameters.push_back({name + ".weight", std::move(shape), in_file + ".weight"});
    if (has_bias) parameters.push_back({name + ".bias", {outputs}, in_file + ".bias"});
  };
  const auto add_here = [&](const char* name, std::vector<std::int64_t> shape) {
    add(name, name, std::move(shape), false);
  };
  add(common.word_embeddings, own.word_embeddings, {config.vocabulary_size, hidden}, false);
  if (config.has_position_table()) add_here("embeddings.position_embeddings", {config.max_positions, hidden});
  if (config.type_vocabulary_size > 0)
    add_here("embeddings.token_type_embeddings", {config.type_vocabulary_size, hidden});
  add(common.embedding_norm, own.embedding_norm, {hidden}, parts.norm_biases);
  if (config.relative_position_buckets > 0)
    add_here("encoder.relative_attention_bias", {config.relative_position_buckets, config.heads});
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const auto name = [&](const char* TensorNames::*tensor) {
      return concat(common.layers, layer, ".", common.*tensor);
    };
    const auto in_file = [&](const char* TensorNames::*tensor, std::int64_t of_layer) {
      return concat(own.layers, of_layer, ".", own.*tensor);
    };
    const auto add_linear = [&](const char* TensorNames::*tensor, std::int64_t outputs, std::int64_t inputs) {
      add(name(tensor), in_file(tensor, layer), {outputs, inputs}, parts.linear_biases);
    };
    if (parts.joins_qkv) {
      add_linear(&TensorNames::qkv, 3 * hidden, hidden);
    } else {
      const auto attention = {&TensorNames::query, &TensorNames::key, &TensorNames::value};
      for (const auto tensor : attention) add(name(tensor), in_file(tensor, layer), {hidden, hidden}, false);
      for (const auto tensor : attention)
        if (parts.linear_biases)
          parameters.push_back({name(tensor) + ".bias", {hidden}, in_file(tensor, layer) + ".bias"});
    }
    add_linear(&TensorNames::attention_output, hidden, hidden);
    add(name(&TensorNames::attention_norm), in_file(&TensorNames::attention_norm, layer), {hidden}, parts.norm_biases);
    add_linear(&TensorNames::intermediate, parts.joins_gate ? 2 * intermediate : intermediate, hidden);
    if (parts.gate && !parts.joins_gate) add_linear(&TensorNames::gate, intermediate, hidden);
    add_linear(&TensorNames::output, hidden, intermediate);
    const std::string output_norm = !parts.norm_first           ? in_file(&TensorNames::output_norm, layer)
                                    : layer + 1 < config.layers ? in_file(&TensorNames::output_norm, layer + 1)
                                                                : std::string(own.final_norm);
    add(name(&TensorNames::output_norm), output_norm, {hidden}, parts.norm_biases);
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
