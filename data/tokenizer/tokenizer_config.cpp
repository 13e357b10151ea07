#include "data/tokenizer/tokenizer_config.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/json_object.hpp"

namespace gausscse {

namespace {

struct SpecialTokenRole {
  const char* role;
  const char* TokenizerFamily::*by_default;
  bool needed;
};

constexpr SpecialTokenRole special_token_roles[] = {
    {"cls_token", &TokenizerFamily::first, true},    {"sep_token", &TokenizerFamily::last, true},
    {"unk_token", &TokenizerFamily::unknown, false}, {"pad_token", &TokenizerFamily::padding, false},
    {"mask_token", &TokenizerFamily::mask, false},
};

const TokenizerFamily& family_of_class(const JsonObject& config, const std::vector<TokenizerFamily>& families) {
  if (config.is_null("tokenizer_class")) return families.front();
  std::string name = config.string("tokenizer_class");
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  std::string readers;
  for (const TokenizerFamily& family : families) {
    if (std::find(family.classes.begin(), family.classes.end(), name) != family.classes.end()) return family;
    readers += concat(readers.empty() ? "" : " or ", family.classes.front());
  }
  config.not_supported("tokenizer_class",
                       concat("these files are read as ", readers, " does; give tokenizer.json as well"));
}

// A special token as the class makes it of a string.
AddedToken special_token(const SpecialTokenRole& special, const TokenizerFamily& family, std::string content) {
  AddedToken token;
  token.content = std::move(content);
  token.normalized = false;  // special tokens are looked for as they stand
  token.lstrip = special.by_default == &TokenizerFamily::mask && family.mask_takes_space;
  return token;
}

// A special token as a string or with its flags; nothing where it is missing or null.
std::optional<AddedToken> parse_special_token(const JsonObject& file, const SpecialTokenRole& special,
                                              const TokenizerFamily& family) {
  if (file.is_null(special.role)) return std::nullopt;
  if (!file.at(special.role).is_object()) return special_token(special, family, file.string(special.role));
  AddedToken token = parse_added_token(file.object(special.role));
  token.normalized = false;
  return token;
}

// Tokens that are looked for in a text, with their flags: only those that the vocabulary has, under its ids. `source`
// is the vocabulary's file.
void read_added_tokens(const JsonObject& config, const JsonObject& map, const Vocabulary& vocabulary,
                       const std::string& source, TokenizerConfig& result) {
  const char* const unknown = "tokens added to those of the vocabulary need a tokenizer.json; give it as well";
  for (const JsonObject* file : {&config, &map})
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"})
      if (!file->is_null(key) && !file->at(key).empty()) file->not_supported(key, unknown);
  if (config.is_null("added_tokens_decoder")) return;
  const JsonObject decoder = config.object("added_tokens_decoder");
  for (const auto& [id, entry] : config.at("added_tokens_decoder").items()) {
    AddedToken token = parse_added_token(decoder.object(id));
    const std::optional<std::uint32_t> of_vocabulary = vocabulary.find(token.content);
    if (!of_vocabulary) decoder.not_supported(id, unknown);
    if (std::to_string(*of_vocabulary) != id) {
      throw InputError(concat(decoder.where(), ": token ", quoted(token.content), " says id ", id, ", but in ", source,
                              " it is ", *of_vocabulary, "; correct the one that is wrong"));
    }
    bool has_role = false;
    for (SpecialToken& special : result.special_tokens) {
      if (special.token.content != token.content) continue;
      has_role = true;
      special.token = token;
      special.token.normalized = false;
    }
    if (!has_role) result.special_tokens.push_back({"added token", std::move(token), true});
  }
}

// Without a class the first family is meant. But a vocabulary with another family's tokens is likely that one's, though
// it may have those of the first as well: sentences would silently get other ids.
void check_family(const JsonObject& config, const std::vector<TokenizerFamily>& families,
                  const Vocabulary& vocabulary) {
  for (const TokenizerFamily& family : families) {
    if (&family == &families.front() || !vocabulary.find(family.first) || !vocabulary.find(family.last)) continue;
    throw InputError(concat(config.where(), " names no tokenizer_class, and the vocabulary has ", quoted(family.first),
                            " and ", quoted(family.last), ", which begin and end a sentence of ",
                            family.classes.front(), ": add \"tokenizer_class\": \"", family.classes.front(), "\" or \"",
                            families.front().classes.front(), "\", or give tokenizer.json as well"));
  }
}

}  // namespace

const std::vector<TokenizerFamily>& word_piece_families() {
  static const std::vector<TokenizerFamily> families{
      {.classes = {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"},
       .first = "[CLS]",
       .last = "[SEP]",
       .unknown = "[UNK]",
       .padding = "[PAD]",
       .mask = "[MASK]",
       .mask_takes_space = false},
      {.classes = {"MPNetTokenizer"},
       .first = "<s>",
       .last = "</s>",
       .unknown = "[UNK]",
       .padding = "<pad>",
       .mask = "<mask>",
       .mask_takes_space = true}};
  return families;
}

const std::vector<TokenizerFamily>& byte_level_families() {
  static const std::vector<TokenizerFamily> families{{.classes = {"RobertaTokenizer"},
                                                      .first = "<s>",
                                                      .last = "</s>",
                                                      .unknown = "<unk>",
                                                      .padding = "<pad>",
                                                      .mask = "<mask>",
                                                      .mask_takes_space = true}};
  return families;
}

TokenizerConfig parse_tokenizer_config(const TokenizerFiles& files, const std::vector<TokenizerFamily>& families,
                                       const Vocabulary& vocabulary, const std::string& vocabulary_source) {
  const JsonFile config_file(files, "tokenizer_config.json"), map_file(files, "special_tokens_map.json");
  const JsonObject config = config_file.object(), map = map_file.object();
  const TokenizerFamily& family = family_of_class(config, families);
  if (!config.boolean_or("do_basic_tokenize", true)) config.not_supported("do_basic_tokenize", "only true is");
  if (!config.is_null("never_split") && !config.at("never_split").empty())
    config.not_supported("never_split", "words are always split");

  TokenizerConfig result;
  result.lower_case = config.boolean_or("do_lower_case", true);
  result.strip_accents = config.boolean_or("strip_accents", result.lower_case);
  result.tokenize_chinese_characters = config.boolean_or("tokenize_chinese_chars", true);
  result.add_prefix_space = config.boolean_or("add_prefix_space", false);
  bool ends_are_named = true;
  for (const SpecialTokenRole& special : special_token_roles) {
    std::optional<AddedToken> token = parse_special_token(config, special, family);
    if (!token) token = parse_special_token(map, special, family);
    const bool named = token.has_value();
    if (!named) {
      token = special_token(special, family, family.*special.by_default);
      ends_are_named = ends_are_named && !special.needed;
    }
    if (special.by_default == &TokenizerFamily::unknown) result.unknown_token = token->content;
    result.special_tokens.push_back({special.role, std::move(*token), named || special.needed});
  }
  if (config.is_null("tokenizer_class") && !ends_are_named) check_family(config, families, vocabulary);
  read_added_tokens(config, map, vocabulary, vocabulary_source, result);
  return result;
}

}  // namespace gausscse
