#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "model/weights/config_reader.hpp"
#include "model/weights/encoder_config.hpp"
#include "model/weights/encoder_family.hpp"
#include "model/weights/rotary_keys.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Architecture = EncoderConfig::Architecture;

std::optional<Architecture> architecture_of_model_type(const ConfigReader& reader) {
  const json* type = reader.find("model_type");
  if (!type) return std::nullopt;
  const auto* name = type->get_ptr<const json::string_t*>();
  for (const EncoderFamily& family : encoder_families())
    if (name && *name == family.model_type) return family.defaults.architecture;
  reader.refuse("model_type is ", shown(*type), "; only ", listed_families(&EncoderFamily::model_type, "and"),
                " are implemented: use another model");
}

/// Finds the architecture by the name of the class that wrote the config, as "RobertaForMaskedLM".
std::optional<Architecture> architecture_of_class(const ConfigReader& reader) {
  const json* classes = reader.find("architectures");
  if (!classes || classes->is_null()) return std::nullopt;
  if (!classes->is_array()) reader.refuse("architectures is not a list");
  const EncoderFamily* found = nullptr;
  for (const json& entry : *classes) {
    const std::string name = entry.is_string() ? entry.get<std::string>() : entry.dump();
    const auto named = std::find_if(encoder_families().begin(), encoder_families().end(),
                                    [&](const EncoderFamily& family) { return name.starts_with(family.class_prefix); });
    if (named == encoder_families().end())
      reader.refuse("architectures names ", quoted(name), "; only classes of ",
                    listed_families(&EncoderFamily::title, "and"), " are implemented: use another model");
    if (found && found != &*named) reader.refuse("architectures names both ", found->title, " and ", named->title);
    found = &*named;
  }
  return found ? std::optional(found->defaults.architecture) : std::nullopt;
}

const EncoderFamily& find_family(const ConfigReader& reader, std::optional<Architecture> assumed) {
  const auto by_type = architecture_of_model_type(reader);
  const auto by_class = architecture_of_class(reader);
  if (by_type && by_class && *by_type != *by_class) reader.refuse("model_type and architectures disagree");
  if (by_type) return family_of(*by_type);
  if (by_class) return family_of(*by_class);
  if (assumed) return family_of(*assumed);
  reader.refuse("neither model_type nor architectures says whether this is ",
                listed_families(&EncoderFamily::title, "or"),
                ", and the tokenizer files next to it do not show it either: add \"model_type\", with ",
                listed_families(&EncoderFamily::model_type, "or"));
}

/// Returns the family one of whose files is there, where it is the only one.
std::optional<Architecture> architecture_of_tokenizer(const fs::path& folder) {
  std::optional<Architecture> found;
  for (const EncoderFamily& family : encoder_families()) {
    std::error_code ignored;
    if (family.known_by_file.empty() || !fs::exists(folder / family.known_by_file, ignored)) continue;
    if (found) return std::nullopt;
    found = family.defaults.architecture;
  }
  return found;
}

/// Checks keys that must have the one value that is implemented.
void check_fixed_values(const ConfigReader& reader, const EncoderFamily& family) {
  reader.require(family.keys.activation, family.activation());
  const JsonDocument of_family = parse_strict_json(family.fixed_values, family.title);
  for (const auto& [key, value] : of_family->items()) reader.require(key.c_str(), value);
  for (const char* key : {"is_decoder", "is_encoder_decoder", "add_cross_attention"}) reader.require(key, false);
  reader.require("pruned_heads", json::object());
  reader.require("cross_attention_hidden_size", nullptr);
}

}  // namespace

EncoderConfig parse_encoder_config(std::string_view text, std::string_view source_name,
                                   std::optional<Architecture> assumed) {
  const JsonDocument document = parse_strict_json(text, source_name);
  const json& object = document;
  const ConfigReader reader(object, source_name);
  const EncoderFamily& family = find_family(reader, assumed);
  reader.refuse_unknown_keys(known_config_keys(family));
  check_fixed_values(reader, family);

  const ConfigKeys& keys = family.keys;
  const EncoderConfig& defaults = family.defaults;
  EncoderConfig config = defaults;
  config.hidden_size = reader.integer(keys.hidden_size, 1, 1 << 16);
  config.layers = reader.integer(keys.layers, 1, 1000);
  config.heads = reader.integer(keys.heads, 1, config.hidden_size);
  config.intermediate_size = reader.integer(keys.intermediate_size, 1, 1 << 20);
  config.vocabulary_size = reader.integer(keys.vocabulary_size, 1, 1 << 24);
  config.max_positions = reader.integer(keys.max_positions, 1, 1 << 20);
  config.type_vocabulary_size =
      reader.integer_of_family(keys.type_vocabulary_size, 1, 1 << 10, defaults.type_vocabulary_size);
  config.pad_token_id = reader.integer(keys.pad_token_id, 0, config.vocabulary_size - 1, defaults.pad_token_id);
  config.layer_norm_eps = reader.fraction(keys.layer_norm_eps, defaults.layer_norm_eps);
  config.hidden_dropout = reader.fraction(keys.hidden_dropout, defaults.hidden_dropout);
  config.attention_dropout = reader.fraction(keys.attention_dropout, defaults.attention_dropout);
  if (!defaults.has_position_table()) config.rotary = read_rotary_positions(reader, config);
  if (config.hidden_size % config.heads != 0) {
    reader.refuse(keys.heads, " is ", config.heads, ", which does not divide ", keys.hidden_size, ", ",
                  config.hidden_size);
  }
  if (config.max_positions < config.first_position() + 2) {
    reader.refuse(keys.max_positions, " is ", config.max_positions, ", too few for a sentence of two tokens");
  }
  return config;
}

EncoderConfig read_encoder_config(const fs::path& folder, std::optional<Architecture> assumed) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const fs::path path = folder / "config.json";
  const std::string text = read_whole_file(path, max_bytes);
  return parse_encoder_config(text, path.string(), assumed ? assumed : architecture_of_tokenizer(folder));
}

}  // namespace gausscse
