#include "model/weights/encoder_config.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "model/weights/encoder_family.hpp"
#include "model/weights/rotary_keys.hpp"

namespace gausscse {

std::int64_t EncoderConfig::first_position() const {
  return family_of(architecture).first_position(*this);
}

std::size_t EncoderConfig::max_tokens() const {
  return static_cast<std::size_t>(max_positions - first_position());
}

double EncoderConfig::attention_output_dropout() const {
  return family_of(architecture).drops_attention_output ? hidden_dropout : 0.0;
}

const LayerParts& EncoderConfig::parts() const {
  return family_of(architecture).parts;
}

EncoderConfig named_encoder_config(std::string_view name) {
  std::vector<std::string> names;
  for (const EncoderFamily& family : encoder_families()) {
    for (const NamedShape& shape : family.shapes) {
      if (shape.name == name) return shape.config;
      names.push_back(shape.name);
    }
  }
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i)
    known += concat(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  throw InputError(concat("unknown architecture ", quoted(name), nearest_name(name, names), "; known are ", known));
}

std::string to_config_json(const EncoderConfig& config) {
  const EncoderFamily& family = family_of(config.architecture);
  nlohmann::ordered_json text;
  const auto put = [&](const char* key, const auto& value) {
    if (key) text[key] = value;
  };
  text["architectures"] = {family.class_prefix + "Model"};
  text["model_type"] = family.model_type;
  put(family.keys.hidden_size, config.hidden_size);
  put(family.keys.layers, config.layers);
  put(family.keys.heads, config.heads);
  put(family.keys.intermediate_size, config.intermediate_size);
  put(family.keys.vocabulary_size, config.vocabulary_size);
  put(family.keys.max_positions, config.max_positions);
  put(family.keys.type_vocabulary_size, config.type_vocabulary_size);
  put(family.keys.pad_token_id, config.pad_token_id);
  put(family.keys.layer_norm_eps, config.layer_norm_eps);
  put(family.keys.activation, family.activation());
  put(family.keys.hidden_dropout, config.hidden_dropout);
  put(family.keys.attention_dropout, config.attention_dropout);
  if (!config.has_position_table()) write_rotary_positions(config.rotary, text);
  text.update(nlohmann::ordered_json::parse(family.fixed_values));
  text.update(nlohmann::ordered_json::parse(family.other_values));
  return text.dump(2) + "\n";
}

}  // namespace gausscse
