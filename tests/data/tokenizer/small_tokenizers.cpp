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
