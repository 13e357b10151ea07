#include "data/tokenizer/tokenizer_config.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/added_token_json.hpp"
#include "data/tokenizer/json_object.hpp"

namespace gausscse {

namespace {

struct SpecialTokenDefault {
  const char* role;
  const char* bert;
  const char* roberta;
  bool needed;
};

constexpr SpecialTokenDefault special_token_defaults[] = {
    {"cls_token", "[CLS]", "<s>", true},       {"sep_token", "[SEP]", "</s>", true},
    {"unk_token", "[UNK]", "<unk>", false},    {"pad_token", "[PAD]", "<pad>", false},
    {"mask_token", "[MASK]", "<mask>", false},
};

void check_class(const JsonObject& config, TokenizerFamily family) {
  if (config.is_null("tokenizer_class")) return;
  std::string name = config.string("tokenizer_class");
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  const std::vector<std::string> bert = {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"};
  const std::vector<std::string> roberta = {"RobertaTokenizer"};
  const std::vector<std::string>& known = family == TokenizerFamily::bert ? bert : roberta;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    config.not_supported("tokenizer_class", family == TokenizerFamily::bert
                                                ? "vocab.txt is read as BertTokenizer does; give tokenizer.json as well"
                                                : "vocab.json and merges.txt are read as RobertaTokenizer does; give "
                                                  "tokenizer.json as well");
  }
}

// A special token as a string or with its flags; nothing where it is missing or null.
std::optional<AddedToken> parse_special_token(const JsonObject& file, const char* role) {
  if (file.is_null(role)) return std::nullopt;
  AddedToken token;
  if (file.at(role).is_object()) {
    token = parse_added_token(file.object(role));
  } else {
    token.content = file.string(role);
  }
  token.normalized = false;  // special tokens are looked for as they stand
  return token;
}

void check_other_tokens(const JsonObject& config, const TokenizerConfig& result) {
  const char* const unknown = "tokens added to those of the vocabulary need a tokenizer.json; give it as well";
  const auto known = [&](const std::string& content) {
    return std::any_of(result.special_tokens.begin(), result.special_tokens.end(),
                       [&](const SpecialToken& special) { return special.token.content == content; });
  };
  if (!config.is_null("additional_special_tokens") && !config.at("additional_special_tokens").empty())
    config.not_supported("additional_special_tokens", unknown);
  if (config.is_null("added_tokens_decoder")) return;
  const JsonObject decoder = config.object("added_tokens_decoder");
  for (const auto& [id, entry] : config.at("added_tokens_decoder").items()) {
    if (!known(parse_added_token(decoder.object(id)).content)) decoder.not_supported(id, unknown);
  }
}

}  // namespace

TokenizerConfig parse_tokenizer_config(const TokenizerFiles& files, TokenizerFamily family) {
  const auto parse = [&](const char* name) {
    const std::string* text = files.find(name);
    return text != nullptr ? parse_strict_json(*text, files.source_name(name)) : JsonDocument(nlohmann::json::object());
  };
  const JsonDocument config_json = parse("tokenizer_config.json");
  const JsonDocument map_json = parse("special_tokens_map.json");
  const JsonObject config(config_json, files.source_name("tokenizer_config.json"));
  const JsonObject map(map_json, files.source_name("special_tokens_map.json"));

  check_class(config, family);
  if (!config.boolean_or("do_basic_tokenize", true)) config.not_supported("do_basic_tokenize", "only true is");
  if (!config.is_null("never_split") && !config.at("never_split").empty())
    config.not_supported("never_split", "words are always split");

  TokenizerConfig result;
  result.lower_case = config.boolean_or("do_lower_case", true);
  result.strip_accents = config.boolean_or("strip_accents", result.lower_case);
  result.tokenize_chinese_characters = config.boolean_or("tokenize_chinese_chars", true);
  result.add_prefix_space = config.boolean_or("add_prefix_space", false);
  for (const SpecialTokenDefault& special : special_token_defaults) {
    std::optional<AddedToken> token = parse_special_token(config, special.role);
    if (!token) token = parse_special_token(map, special.role);
    const bool named = token.has_value();
    if (!token) {
      token.emplace();
      token->content = family == TokenizerFamily::bert ? special.bert : special.roberta;
      token->normalized = false;
      // RoBERTa's <mask> stands for a word with the space before it.
      token->lstrip = family == TokenizerFamily::roberta && std::string_view(special.role) == "mask_token";
    }
    if (std::string_view(special.role) == "unk_token") result.unknown_token = token->content;
    result.special_tokens.push_back({special.role, std::move(*token), named || special.needed});
  }
  check_other_tokens(config, result);
  return result;
}

}  // namespace gausscse
