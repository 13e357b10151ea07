#include "data/tokenizer/normalizer_json.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

ReplaceText parse_replace(const JsonObject& normalizer) {
  const JsonObject pattern = normalizer.object("pattern");
  pattern.check_keys({"String", "Regex"});
  ReplaceText replace;
  replace.content = normalizer.string("content");
  if (pattern.has("Regex")) {
    if (pattern.string("Regex") != " {2,}") pattern.not_supported("Regex", "\" {2,}\", a run of spaces, is");
    replace.pattern = " ";
    replace.least_run = 2;
  } else {
    replace.pattern = pattern.string("String");
    if (replace.pattern.empty()) pattern.not_supported("String", "it must not be empty");
  }
  return replace;
}

void append_steps(const JsonObject& normalizer, std::vector<TextNormalizer::Step>& steps) {
  const std::string type = normalizer.string("type");
  if (type == "Sequence") {
    normalizer.check_keys({"type", "normalizers"});
    const nlohmann::json& parts = normalizer.at("normalizers");
    const std::string where = concat(normalizer.where(), ".normalizers");
    if (!parts.is_array()) throw InputError(concat(where, " must be an array; give the model's own file"));
    for (std::size_t i = 0; i < parts.size(); ++i) append_steps({parts[i], concat(where, "[", i, "]")}, steps);
  } else if (type == "NFC" || type == "NFKC") {
    normalizer.check_keys({"type"});
    steps.emplace_back(type == "NFC" ? UnicodeForm::nfc : UnicodeForm::nfkc);
  } else if (type == "Precompiled") {
    normalizer.check_keys({"type", "precompiled_charsmap"});
    steps.emplace_back(PrecompiledCharsmap(normalizer.string("precompiled_charsmap"),
                                           concat(normalizer.where(), ".precompiled_charsmap")));
  } else if (type == "Replace") {
    normalizer.check_keys({"type", "pattern", "content"});
    steps.emplace_back(parse_replace(normalizer));
  } else if (type == "Strip") {
    normalizer.check_keys({"type", "strip_left", "strip_right"});
    steps.emplace_back(StripSpace{normalizer.boolean("strip_left"), normalizer.boolean("strip_right")});
  } else if (type == "Nmt") {
    normalizer.check_keys({"type"});
    steps.emplace_back(NmtSpaces{});
  } else {
    normalizer.not_supported("type", "Sequence, Precompiled, Replace, Strip, NFC, NFKC and Nmt are");
  }
}

}  // namespace

BertNormalizer parse_bert_normalizer_json(const JsonObject& root) {
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

TextNormalizer parse_text_normalizer_json(const JsonObject& root) {
  std::vector<TextNormalizer::Step> steps;
  if (!root.is_null("normalizer")) append_steps(root.object("normalizer"), steps);
  return TextNormalizer(std::move(steps));
}

}  // namespace gausscse
