#include "data/tokenizer/tokenizer_json.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/model_files.hpp"
#include "data/tokenizer/normalizer_json.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"
#include "data/tokenizer/unigram_json.hpp"

namespace gausscse {

namespace {

void check_bert_pre_tokenizer(const JsonObject& root) {
  if (root.is_null("pre_tokenizer")) root.not_supported("pre_tokenizer", "a WordPiece model takes BertPreTokenizer");
  const JsonObject pre_tokenizer = root.object("pre_tokenizer");
  if (pre_tokenizer.string("type") != "BertPreTokenizer")
    pre_tokenizer.not_supported("type", "a WordPiece model takes BertPreTokenizer");
  pre_tokenizer.check_keys({"type"});
}

bool parse_byte_level_prefix_space(const JsonObject& root) {
  if (root.is_null("pre_tokenizer")) root.not_supported("pre_tokenizer", "a BPE model takes ByteLevel");
  const JsonObject pre_tokenizer = root.object("pre_tokenizer");
  if (pre_tokenizer.string("type") != "ByteLevel") pre_tokenizer.not_supported("type", "a BPE model takes ByteLevel");
  pre_tokenizer.check_keys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (pre_tokenizer.has("use_regex") && !pre_tokenizer.boolean("use_regex"))
    pre_tokenizer.not_supported("use_regex", "text is split by GPT-2's pattern (true)");
  return pre_tokenizer.boolean("add_prefix_space");
}

void check_id(const std::string& token, std::uint32_t id, const std::string& where, const TokenizerSettings& settings) {
  std::optional<std::uint32_t> expected = settings.vocabulary.find(token);
  for (const AddedToken& added : settings.added_tokens)
    if (added.content == token) expected = added.id;
  if (expected == id) return;
  throw InputError(concat(where, ": token ", quoted(token), " says id ", id, ", but ",
                          expected ? concat("its id is ", *expected) : std::string("there is no such token"),
                          "; correct the one that is wrong"));
}

// ["[CLS]", 101]
std::uint32_t parse_token_and_id(const JsonObject& processor, const std::string& key,
                                 const TokenizerSettings& settings) {
  const nlohmann::json& value = processor.at(key);
  const std::string where = concat(processor.where(), ".", key);
  if (!value.is_array() || value.size() != 2 || !value[0].is_string())
    throw InputError(concat(where, " must be a token and its id, [\"token\", 0]; give the model's own file"));
  const std::uint32_t id = json_token_id(value[1], where);
  check_id(value[0].get<std::string>(), id, where, settings);
  return id;
}

void append_special_token(const JsonObject& special_tokens, const std::string& name, const TokenizerSettings& settings,
                          std::vector<std::uint32_t>& out) {
  const JsonObject token = special_tokens.object(name);
  token.check_keys({"id", "ids", "tokens"});
  const nlohmann::json& ids = token.at("ids");
  const nlohmann::json& tokens = token.at("tokens");
  if (!ids.is_array() || !tokens.is_array() || ids.size() != tokens.size())
    throw InputError(concat(token.where(), " must have as many ids as tokens; give the model's own file"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t id = json_token_id(ids[i], concat(token.where(), ".ids[", i, "]"));
    if (!tokens[i].is_string())
      throw InputError(concat(token.where(), ".tokens[", i, "] must be a string; give the model's own file"));
    check_id(tokens[i].get<std::string>(), id, token.where(), settings);
    out.push_back(id);
  }
}

void parse_template(const JsonObject& processor, TokenizerSettings& settings) {
  processor.check_keys({"type", "single", "pair", "special_tokens"});
  const JsonObject special_tokens = processor.object("special_tokens");
  const nlohmann::json& single = processor.at("single");
  const std::string where = concat(processor.where(), ".single");
  if (!single.is_array()) throw InputError(concat(where, " must be an array; give the model's own file"));
  bool sentence_seen = false;
  for (std::size_t i = 0; i < single.size(); ++i) {
    const JsonObject piece(single[i], concat(where, "[", i, "]"));
    const bool is_sentence = piece.has("Sequence");
    piece.check_keys({is_sentence ? "Sequence" : "SpecialToken"});
    const JsonObject content = piece.object(is_sentence ? "Sequence" : "SpecialToken");
    content.check_keys({"id", "type_id"});
    if (content.id("type_id") != 0) content.not_supported("type_id", "a single sentence has token type 0");
    const std::string name = content.string("id");
    if (!is_sentence) {
      append_special_token(special_tokens, name, settings, sentence_seen ? settings.ids_after : settings.ids_before);
      continue;
    }
    if (name != "A" || sentence_seen) content.not_supported("id", "a single sentence is \"A\", once");
    sentence_seen = true;
  }
  if (!sentence_seen) throw InputError(concat(where, " has no sentence \"A\" in it; give the model's own file"));
}

}  // namespace

TokenizerSettings parse_tokenizer_json(std::string_view text, const std::string& source) {
  const JsonDocument document = parse_strict_json(text, source);
  const nlohmann::json& json = document;
  const JsonObject root(json, source);
  root.check_keys({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                   "decoder", "model"});
  if (root.has("version") && root.string("version") != "1.0") root.not_supported("version", "only \"1.0\" is");

  ParsedModel parsed = parse_model_json(root.object("model"));
  TokenizerSettings settings{source, std::move(parsed.vocabulary), std::move(parsed.model), {}, {}, {}};
  if (auto* word_piece = std::get_if<WordPieceSettings>(&settings.model)) {
    word_piece->normalizer = parse_bert_normalizer_json(root);
    check_bert_pre_tokenizer(root);
  } else if (auto* unigram = std::get_if<UnigramSettings>(&settings.model)) {
    unigram->normalizer = parse_text_normalizer_json(root);
    parse_metaspace_json(root, *unigram);
  } else {
    auto& bpe = std::get<ByteLevelBpeModel>(settings.model).settings;
    bpe.normalizer = parse_text_normalizer_json(root);
    bpe.add_prefix_space = parse_byte_level_prefix_space(root);
  }
  if (!root.is_null("added_tokens")) {
    const std::string where = concat(source, ".added_tokens");
    const nlohmann::json& list = root.at("added_tokens");
    if (!list.is_array()) throw InputError(concat(where, " must be an array; give the model's own file"));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonObject entry(list[i], concat(where, "[", i, "]"));
      entry.check_keys({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
      AddedToken token = parse_added_token(entry);
      token.id = entry.id("id");
      append_added_token(settings.vocabulary, std::move(token), entry.where(), settings.added_tokens);
    }
  }
  parse_post_processor_json(root, settings);
  read_truncation_json(root, settings);
  return settings;
}

void parse_post_processor_json(const JsonObject& root, TokenizerSettings& settings) {
  constexpr const char* understood = "TemplateProcessing, BertProcessing and RobertaProcessing are";
  if (root.is_null("post_processor")) root.not_supported("post_processor", understood);
  const JsonObject processor = root.object("post_processor");
  const std::string type = processor.string("type");
  if (type == "TemplateProcessing") {
    parse_template(processor, settings);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    processor.check_keys({"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
    settings.ids_before.push_back(parse_token_and_id(processor, "cls", settings));
    settings.ids_after.push_back(parse_token_and_id(processor, "sep", settings));
  } else {
    processor.not_supported("type", understood);
  }
  if (settings.ids_before.empty()) {
    throw InputError(concat(processor.where(),
                            " sets no special token before a sentence, and a sentence's embedding is that of its first "
                            "token; give a tokenizer that does"));
  }
}

}  // namespace gausscse
