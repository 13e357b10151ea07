#include "data/tokenizer/tokenizer_json.hpp"

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/added_token_json.hpp"
#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/model_json.hpp"
#include "data/tokenizer/post_processor_json.hpp"
#include "data/tokenizer/sentence_settings.hpp"

namespace gausscse {

namespace {

BertNormalizer parse_bert_normalizer(const JsonObject& root) {
  if (root.is_null("normalizer")) return {};
  const JsonObject normalizer = root.object("normalizer");
  if (normalizer.string("type") != "BertNormalizer")
    normalizer.not_supported("type", "a WordPiece model takes BertNormalizer or null");
  normalizer.check_keys({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  BertNormalizer result;
  result.clean_text = normalizer.boolean("clean_text");
  result.handle_chinese_characters = normalizer.boolean("handle_chinese_chars");
  result.lowercase = normalizer.boolean("lowercase");
  result.strip_accents = normalizer.boolean_or("strip_accents", result.lowercase);
  return result;
}

void check_bert_pre_tokenizer(const JsonObject& root) {
  if (root.is_null("pre_tokenizer")) root.not_supported("pre_tokenizer", "a WordPiece model takes BertPreTokenizer");
  const JsonObject pre_tokenizer = root.object("pre_tokenizer");
  if (pre_tokenizer.string("type") != "BertPreTokenizer")
    pre_tokenizer.not_supported("type", "a WordPiece model takes BertPreTokenizer");
  pre_tokenizer.check_keys({"type"});
}

bool parse_byte_level_prefix_space(const JsonObject& root) {
  if (!root.is_null("normalizer")) root.not_supported("normalizer", "a BPE model takes none (null)");
  if (root.is_null("pre_tokenizer")) root.not_supported("pre_tokenizer", "a BPE model takes ByteLevel");
  const JsonObject pre_tokenizer = root.object("pre_tokenizer");
  if (pre_tokenizer.string("type") != "ByteLevel") pre_tokenizer.not_supported("type", "a BPE model takes ByteLevel");
  pre_tokenizer.check_keys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (pre_tokenizer.has("use_regex") && !pre_tokenizer.boolean("use_regex"))
    pre_tokenizer.not_supported("use_regex", "text is split by GPT-2's pattern (true)");
  return pre_tokenizer.boolean("add_prefix_space");
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
    word_piece->normalizer = parse_bert_normalizer(root);
    check_bert_pre_tokenizer(root);
  } else {
    std::get<ByteLevelBpeModel>(settings.model).settings.add_prefix_space = parse_byte_level_prefix_space(root);
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

}  // namespace gausscse
