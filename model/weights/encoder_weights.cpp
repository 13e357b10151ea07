#include "model/weights/encoder_weights.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "model/weights/float_conversion.hpp"

namespace gausscse {

namespace {

using Architecture = EncoderConfig::Architecture;

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The name in `encoder_parameters` of a tensor called `name` in a file.
std::string canonical_name(std::string_view name, Architecture architecture) {
  const std::string_view prefix = architecture == Architecture::bert ? "bert." : "roberta.";
  if (starts_with(name, prefix)) name.remove_prefix(prefix.size());
  std::string canonical(name);
  const auto rename_end = [&](std::string_view from, std::string_view to) {
    if (ends_with(canonical, from)) canonical.replace(canonical.size() - from.size(), from.size(), to);
  };
  rename_end("LayerNorm.gamma", "LayerNorm.weight");
  rename_end("LayerNorm.beta", "LayerNorm.bias");
  return canonical;
}

/// Whether a tensor of that canonical name belongs to a part of published models that the encoder does without.
bool is_dropped(std::string_view name) {
  return starts_with(name, "pooler.") || starts_with(name, "cls.") || starts_with(name, "lm_head.") ||
         starts_with(name, "classifier.") || starts_with(name, "qa_outputs.") || name == "embeddings.position_ids" ||
         name == "embeddings.token_type_ids";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += concat(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

bool is_floating_point(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16 || dtype == Dtype::f64;
}

/// What does not fit, collected so that one message tells all.
class Mismatches {
 public:
  template <typename... Parts>
  void add(const Parts&... parts) {
    constexpr std::size_t most_named = 10;
    if (++count_ <= most_named) text_ += concat("\n  ", parts...);
  }

  void throw_if_any(std::string_view source_name) const {
    if (count_ == 0) return;
    throw InputError(concat(source_name, ": ", count_, count_ == 1 ? " tensor does" : " tensors do",
                            " not fit the model of config.json", text_, count_ > 10 ? "\n  ..." : "",
                            "\ngive the config.json and the weights of the same BERT or RoBERTa model"));
  }

 private:
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
      {"embeddings.token_type_embeddings.weight", {config.type_vocabulary_size, hidden}},
      {"embeddings.LayerNorm.weight", {hidden}},
      {"embeddings.LayerNorm.bias", {hidden}},
  };
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const auto add = [&](const char* name, std::vector<std::int64_t> shape) {
      parameters.push_back({concat("encoder.layer.", layer, ".", name), std::move(shape)});
    };
    add("attention.self.query.weight", {hidden, hidden});
    add("attention.self.key.weight", {hidden, hidden});
    add("attention.self.value.weight", {hidden, hidden});
    add("attention.self.query.bias", {hidden});
    add("attention.self.key.bias", {hidden});
    add("attention.self.value.bias", {hidden});
    add("attention.output.dense.weight", {hidden, hidden});
    add("attention.output.dense.bias", {hidden});
    add("attention.output.LayerNorm.weight", {hidden});
    add("attention.output.LayerNorm.bias", {hidden});
    add("intermediate.dense.weight", {intermediate, hidden});
    add("intermediate.dense.bias", {intermediate});
    add("output.dense.weight", {hidden, intermediate});
    add("output.dense.bias", {hidden});
    add("output.LayerNorm.weight", {hidden});
    add("output.LayerNorm.bias", {hidden});
  }
  return parameters;
}

EncoderCheckpoint EncoderCheckpoint::open(const std::filesystem::path& folder, const EncoderConfig& config) {
  EncoderCheckpoint checkpoint(TensorFiles::open(folder));
  const std::vector<ParameterSpec> parameters = encoder_parameters(config);
  std::map<std::string_view, std::size_t> index_of;
  for (std::size_t i = 0; i < parameters.size(); ++i) index_of.emplace(parameters[i].name, i);
  checkpoint.entries_.assign(parameters.size(), nullptr);

  Mismatches mismatches;
  for (const auto& [name, entry] : checkpoint.files_.tensors()) {
    const std::string canonical = canonical_name(name, config.architecture);
    const auto found = index_of.find(canonical);
    if (found == index_of.end()) {
      if (is_dropped(canonical)) {
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
    if (!checkpoint.entries_[i]) mismatches.add(quoted(parameters[i].name), " is missing");
  }
  mismatches.throw_if_any(checkpoint.files_.source_name());
  return checkpoint;
}

void EncoderCheckpoint::load(std::size_t parameter_index, std::span<float> values) const {
  const TensorEntry& entry = *entries_.at(parameter_index);
  copy_to_float32(entry, values);
  if (const std::size_t bad = count_non_finite(values); bad != 0) {
    throw InputError(concat(files_.source_name(), ": tensor ", quoted(entry.name), " has infinite or NaN values (", bad,
                            " of ", values.size(), "): the weights are damaged, get them again"));
  }
}

}  // namespace gausscse
