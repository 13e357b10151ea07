#include "model/weights/encoder_config.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Architecture = EncoderConfig::Architecture;

EncoderConfig bert_config(std::int64_t hidden_size, std::int64_t layers, std::int64_t heads) {
  EncoderConfig config;
  config.hidden_size = hidden_size;
  config.layers = layers;
  config.heads = heads;
  config.intermediate_size = 4 * hidden_size;
  config.vocabulary_size = 30522;
  config.max_positions = 512;
  return config;
}

EncoderConfig roberta_config(std::int64_t hidden_size, std::int64_t layers, std::int64_t heads) {
  EncoderConfig config = bert_config(hidden_size, layers, heads);
  config.architecture = Architecture::roberta;
  config.vocabulary_size = 50265;
  config.max_positions = 514;
  config.type_vocabulary_size = 1;
  config.pad_token_id = 1;
  config.layer_norm_eps = 1e-5;
  return config;
}

}  // namespace

std::int64_t EncoderConfig::first_position() const {
  return architecture == Architecture::roberta ? pad_token_id + 1 : 0;
}

std::size_t EncoderConfig::max_tokens() const {
  return static_cast<std::size_t>(max_positions - first_position());
}

EncoderConfig named_encoder_config(std::string_view name) {
  const std::array<std::pair<std::string, EncoderConfig>, 5> known = {{
      {"bert-base", bert_config(768, 12, 12)},
      {"bert-large", bert_config(1024, 24, 16)},
      {"roberta-base", roberta_config(768, 12, 12)},
      {"roberta-large", roberta_config(1024, 24, 16)},
      {"minilm-l6", bert_config(384, 6, 12)},
  }};
  std::vector<std::string> names;
  for (const auto& [known_name, config] : known) {
    if (known_name == name) return config;
    names.push_back(known_name);
  }
  throw InputError(concat("unknown architecture ", quoted(name), nearest_name(name, names),
                          "; known are bert-base, bert-large, roberta-base, roberta-large and minilm-l6"));
}

std::string to_config_json(const EncoderConfig& config) {
  const bool roberta = config.architecture == Architecture::roberta;
  nlohmann::ordered_json text;
  text["architectures"] = {roberta ? "RobertaModel" : "BertModel"};
  text["model_type"] = roberta ? "roberta" : "bert";
  text["hidden_size"] = config.hidden_size;
  text["num_hidden_layers"] = config.layers;
  text["num_attention_heads"] = config.heads;
  text["intermediate_size"] = config.intermediate_size;
  text["vocab_size"] = config.vocabulary_size;
  text["max_position_embeddings"] = config.max_positions;
  text["type_vocab_size"] = config.type_vocabulary_size;
  text["pad_token_id"] = config.pad_token_id;
  text["layer_norm_eps"] = config.layer_norm_eps;
  text["hidden_act"] = "gelu";
  text["hidden_dropout_prob"] = config.hidden_dropout;
  text["attention_probs_dropout_prob"] = config.attention_dropout;
  text["position_embedding_type"] = "absolute";
  text["initializer_range"] = 0.02;
  if (roberta) {
    text["bos_token_id"] = 0;
    text["eos_token_id"] = 2;
  }
  return text.dump(2) + "\n";
}

}  // namespace gausscse
