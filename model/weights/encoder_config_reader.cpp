#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "model/weights/encoder_config.hpp"
#include "model/weights/known_config_keys.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Architecture = EncoderConfig::Architecture;

/// Reads members of the config's object, with messages that name file and key.
class ConfigReader {
 public:
  ConfigReader(const json& object, std::string_view source_name) : object_(object), source_name_(source_name) {
    if (!object.is_object()) throw InputError(concat(source_name, ": is not a JSON object, so it is no model config"));
  }

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw InputError(concat(source_name_, ": ", parts...));
  }

  void refuse_unknown_keys() const {
    const std::vector<std::string>& known = known_config_keys();
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end() || is_switched_off(value)) continue;
      refuse("unknown key ", quoted(key), " with the value ", quoted(value.dump()),
             ", which may change what the model computes", nearest_name(key, known),
             " Remove it if it does not matter to the encoder");
    }
  }

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  /// A whole number from `least` to `most`; without `otherwise` the key must be there.
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> otherwise = std::nullopt) const {
    const json* value = find(key);
    if (!value && otherwise) return *otherwise;
    if (!value) refuse("the key ", quoted(key), " is missing: it is needed to know the model's shape");
    const bool in_range = value->is_number_unsigned() &&
                          value->get<std::uint64_t>() >= static_cast<std::uint64_t>(least) &&
                          value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!in_range) refuse(key, " is ", quoted(value->dump()), "; it must be a whole number from ", least, " to ", most);
    return value->get<std::int64_t>();
  }

  /// A number in [0, 1).
  double fraction(const char* key, double otherwise) const {
    const json* value = find(key);
    if (!value) return otherwise;
    const bool in_range = value->is_number() && value->get<double>() >= 0 && value->get<double>() < 1;
    if (!in_range) refuse(key, " is ", quoted(value->dump()), "; it must be a number from 0 to below 1");
    return value->get<double>();
  }

  /// Absent, null or equal to `only`, the one value that is implemented.
  void require(const char* key, const json& only) const {
    const json* value = find(key);
    if (value && !value->is_null() && *value != only) {
      refuse(key, " is ", quoted(value->dump()), "; only ", only.dump(), " is implemented: use another model");
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
  if (name && *name == "bert") return Architecture::bert;
  if (name && *name == "roberta") return Architecture::roberta;
  reader.refuse("model_type is ", quoted(type->dump()),
                "; only \"bert\" and \"roberta\" are implemented: use another model");
}

/// By the name of the class that wrote the config, as "RobertaForMaskedLM".
std::optional<Architecture> architecture_of_class(const ConfigReader& reader) {
  const json* classes = reader.find("architectures");
  if (!classes || classes->is_null()) return std::nullopt;
  if (!classes->is_array()) reader.refuse("architectures is not a list");
  std::optional<Architecture> architecture;
  for (const json& entry : *classes) {
    const std::string name = entry.is_string() ? entry.get<std::string>() : entry.dump();
    const bool bert = name.rfind("Bert", 0) == 0;
    if (!bert && name.rfind("Roberta", 0) != 0) {
      reader.refuse("architectures names ", quoted(name),
                    "; only BERT's and RoBERTa's are implemented: use another model");
    }
    const Architecture named = bert ? Architecture::bert : Architecture::roberta;
    if (architecture && *architecture != named) reader.refuse("architectures names both BERT and RoBERTa");
    architecture = named;
  }
  return architecture;
}

Architecture find_architecture(const ConfigReader& reader, std::optional<Architecture> assumed) {
  const auto by_type = architecture_of_model_type(reader);
  const auto by_class = architecture_of_class(reader);
  if (by_type && by_class && *by_type != *by_class) reader.refuse("model_type and architectures disagree");
  if (by_type) return *by_type;
  if (by_class) return *by_class;
  if (assumed) return *assumed;
  reader.refuse(
      "neither model_type nor architectures says whether this is BERT or RoBERTa, and the tokenizer files "
      "beside it do not tell either: add \"model_type\": \"bert\" or \"model_type\": \"roberta\"");
}

std::optional<Architecture> architecture_of_tokenizer(const fs::path& folder) {
  std::error_code ignored;
  const bool word_piece = fs::exists(folder / "vocab.txt", ignored);
  const bool byte_level = fs::exists(folder / "vocab.json", ignored);
  if (word_piece == byte_level) return std::nullopt;
  return word_piece ? Architecture::bert : Architecture::roberta;
}

}  // namespace

EncoderConfig parse_encoder_config(std::string_view text, std::string_view source_name,
                                   std::optional<Architecture> assumed) {
  const JsonDocument document = parse_strict_json(text, source_name);
  const json& object = document;
  const ConfigReader reader(object, source_name);
  reader.refuse_unknown_keys();
  reader.require("hidden_act", "gelu");
  reader.require("position_embedding_type", "absolute");
  for (const char* key : {"is_decoder", "is_encoder_decoder", "add_cross_attention"}) reader.require(key, false);
  reader.require("pruned_heads", json::object());
  reader.require("cross_attention_hidden_size", nullptr);

  EncoderConfig config;
  config.architecture = find_architecture(reader, assumed);
  const bool roberta = config.architecture == Architecture::roberta;
  config.hidden_size = reader.integer("hidden_size", 1, 1 << 16);
  config.layers = reader.integer("num_hidden_layers", 1, 1000);
  config.heads = reader.integer("num_attention_heads", 1, config.hidden_size);
  config.intermediate_size = reader.integer("intermediate_size", 1, 1 << 20);
  config.vocabulary_size = reader.integer("vocab_size", 1, 1 << 24);
  config.max_positions = reader.integer("max_position_embeddings", 1, 1 << 20);
  config.type_vocabulary_size = reader.integer("type_vocab_size", 1, 1 << 10, 2);
  config.pad_token_id = reader.integer("pad_token_id", 0, config.vocabulary_size - 1, roberta ? 1 : 0);
  config.layer_norm_eps = reader.fraction("layer_norm_eps", 1e-12);
  config.hidden_dropout = reader.fraction("hidden_dropout_prob", 0.1);
  config.attention_dropout = reader.fraction("attention_probs_dropout_prob", 0.1);
  if (config.hidden_size % config.heads != 0) {
    reader.refuse("num_attention_heads is ", config.heads, ", which does not divide hidden_size, ", config.hidden_size);
  }
  if (config.max_positions < config.first_position() + 2) {
    reader.refuse("max_position_embeddings is ", config.max_positions, ", too few for a sentence of two tokens");
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
