#include "small_tokenizers.hpp"

#include "base/strict_json.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

nlohmann::json byte_level_vocabulary() {
  nlohmann::json vocabulary = parse_strict_json(R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3})", "the vocabulary");
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string token;
    append_utf8(byte_level_character(static_cast<unsigned char>(byte)), token);
    vocabulary[token] = 4 + byte;
  }
  vocabulary["he"] = 260;
  vocabulary["\u0120he"] = 261;
  vocabulary["<mask>"] = 262;
  return vocabulary;
}

}  // namespace

TokenizerFiles small_word_piece_files() {
  return {{}, {{"vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\ncat\n##s\n##b\n,\nab\n"}}};
}

TokenizerFiles small_mpnet_files() {
  return {{},
          {{"vocab.txt", "<s>\n<pad>\n</s>\n<unk>\n[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##s\n<mask>\n"},
           {"tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizer"})"}}};
}

std::string small_word_piece_json() {
  return R"({
    "version": "1.0", "truncation": null, "padding": null, "decoder": null,
    "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}, {"id": 2, "content": "[CLS]", "special": true},
                     {"id": 3, "content": "[SEP]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "a": 5, "b": 6, "cat": 7,
                        "##s": 8, "##b": 9, ",": 10, "ab": 11}}
  })";
}

TokenizerFiles small_byte_level_files() {
  return {{}, {{"vocab.json", byte_level_vocabulary().dump()}, {"merges.txt", "#version: 0.2\nh e\n\u0120 he\n"}}};
}

std::string small_byte_level_json() {
  const std::string without_vocabulary = R"({
    "version": "1.0", "normalizer": null,
    "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 2, "content": "</s>", "special": true},
                     {"id": 262, "content": "<mask>", "lstrip": true, "special": true}],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
    "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true,
                       "add_prefix_space": false},
    "model": {"type": "BPE", "merges": ["h e", "\u0120 he"]}
  })";
  return changed(without_vocabulary, "/model/vocab", byte_level_vocabulary().dump());
}

std::string charsmap_of(const std::map<std::size_t, std::uint32_t>& units, const std::string& replacements) {
  std::vector<std::uint32_t> numbers(257);
  numbers[0] = 4 * 256;
  for (const auto& [at, unit] : units) numbers[1 + at] = unit;
  std::string bytes(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
  bytes += replacements;
  // Six bits a digit; the last three bytes are filled up with zeros.
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 6) {
    const auto byte = [&](std::size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U; };
    text += digits[(byte(bit / 8) << 8 | byte(bit / 8 + 1)) >> (10 - bit % 8) & 63];
  }
  return text.append((4 - text.size() % 4) % 4, '=');
}

std::string small_unigram_json() {
  // Unit 9 is that of "\t", 0xE2, 0x91 and 0xA0 those of U+2460. Offsets are in bits 10 on; bit 8: a key ends.
  const std::string charsmap = charsmap_of({{0x09, (0x09 ^ 1) << 10 | 0x100 | 0x09},
                                            {1, 0x80000000},
                                            {0xE2, 0xE2 << 10 | 0xE2},
                                            {0x91, 0x91 << 10 | 0x91},
                                            {0xA0, (0xA0 ^ 2) << 10 | 0x100 | 0xA0},
                                            {2, 0x80000002}},
                                           {" \0001\0", 4});
  const std::string json = R"({
    "version": "1.0", "truncation": null, "padding": null, "decoder": null,
    "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 2, "content": "</s>", "special": true},
                     {"id": 9, "content": "<mask>", "lstrip": true, "special": true}],
    "normalizer": {"type": "Precompiled", "precompiled_charsmap": ""},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                      {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": true}]},
    "post_processor": {"type": "TemplateProcessing", "pair": [], "single": [
                         {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                         {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                       "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                                          "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
    "model": {"type": "Unigram", "unk_id": 3, "byte_fallback": false,
              "vocab": [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["\u2581", -2], ["\u2581a", -1.5],
                        ["a", -2.5], ["b", -3], ["1", -4.25], ["<mask>", 0]]}
  })";
  return changed(json, "/normalizer/precompiled_charsmap", nlohmann::json(charsmap).dump());
}

std::string changed(const std::string& json, const std::string& pointer, const std::string& value) {
  const nlohmann::json::json_pointer at(pointer);
  nlohmann::json document = parse_strict_json(json, "the original");
  if (!value.empty()) {
    document[at] = parse_strict_json(value, "the change");
  } else if (nlohmann::json& parent = document.at(at.parent_pointer()); parent.is_array()) {
    parent.erase(std::stoul(at.back()));
  } else if (parent.erase(at.back()) != 1) {
    throw std::invalid_argument("nothing at " + pointer);
  }
  return document.dump();
}

std::vector<std::uint32_t> encode(const TokenizerFiles& files, std::string_view sentence) {
  std::vector<std::uint32_t> ids;
  make_tokenizer(files)->encode(sentence, 100, ids);
  return ids;
}

std::string message_of(const TokenizerFiles& files) {
  return refusal_of([&] { make_tokenizer(files); });
}

}  // namespace gausscse
