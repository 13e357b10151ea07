#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "model/weights/encoder_config.hpp"
#include "model/weights/encoder_family.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Architecture = EncoderConfig::Architecture;

/// Returns a value for messages: a text between quotes once, others as JSON has them.
std::string shown(const json& value) {
  if (const auto* text = value.get_ptr<const json::string_t*>()) return quoted(*text);
  constexpr std::size_t longest = 60;
  const std::string all = value.dump();
  return all.size() <= longest ? all : concat(all.substr(0, longest), " ...");
}

/// Returns whether a key of a config.json that is not known switches nothing on: its value is null, false, or an empty
/// text, list or object. All keys that transformers 4.6 to 5.23 added to its base config, to BertConfig or to
/// RobertaConfig have such a default. Only numbers that concern text generation have another, and these are known. So
/// keys of later releases are accepted while they hold such a value. Numbers, true and anything else may change the
/// model's results; 0 is a number. A model whose code is its own, for which false may be such a change, says so by the
/// key auto_map, which is then not empty.
bool is_switched_off(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_structured()) return value.empty();
  return value.is_null() || value == false;
}

/// Reader of members of the config's object, with messages that name file and key.
class ConfigReader {
 public:
  ConfigReader(const json& object, std::string_view source_name) : object_(object), source_name_(source_name) {
    if (!object.is_object()) throw InputError(concat(source_name, ": is not a JSON object, so it is no model config"));
  }

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw InputError(concat(source_name_, ": ", parts...));
  }

  void refuse_unknown_keys(const EncoderFamily& family) const {
    const std::vector<std::string> known = known_config_keys(family);
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end() || is_switched_off(value)) continue;
      refuse("unknown key ", quoted(key), " with the value ", shown(value),
             " may change what the model computes: remove it if it does not matter to the encoder",
             nearest_name(key, known));
    }
  }

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  /// Returns a whole number from `least` to `most`; without `otherwise` the key must be there.
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> otherwise = std::nullopt) const {
    const json* value = find(key);
    if (!value && otherwise) return *otherwise;
    if (!value) refuse("the key ", quoted(key), " is missing: it is needed to know the model's shape");
    const bool in_range = value->is_number_unsigned() &&
                          value->get<std::uint64_t>() >= static_cast<std::uint64_t>(least) &&
                          value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!in_range) refuse(key, " is ", shown(*value), "; it must be a whole number from ", least, " to ", most);
    return value->get<std::int64_t>();
  }

  /// Reads an integer of the family's key; `otherwise` too where the family has no such key (null).
  std::int64_t integer_of_family(const char* key, std::int64_t least, std::int64_t most, std::int64_t otherwise) const {
    return key ? integer(key, least, most, otherwise) : otherwise;
  }

  /// Returns a number in [0, 1); `otherwise` where the key is missing, or the family has no such key (null).
  double fraction(const char* key, double otherwise) const {
    const json* value = key ? find(key) : nullptr;
    if (!value) return otherwise;
    const bool in_range = value->is_number() && value->get<double>() >= 0 && value->get<double>() < 1;
    if (!in_range) refuse(key, " is ", shown(*value), "; it must be a number from 0 to below 1");
    return value->get<double>();
  }

  /// Throws unless the key is absent, null or equal to `only`, the one value that is implemented.
  void require(const char* key, const json& only) const {
    const json* value = find(key);
    if (value && !value->is_null() && *value != only) {
      refuse(key, " is ", shown(*value), "; only ", only.dump(), " is implemented: use another model");
    }
  }

 private:
  const json& object_;
  std::string_view source_name_;
};

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
  reader.require(family.keys.activation, "gelu");
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
  reader.refuse_unknown_keys(family);
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
