#include "small_tokenizers.hpp"

#include <nlohmann/json.hpp>

#include "data/tokenizer/byte_level_alphabet.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse::testing_support {

namespace {

nlohmann::json added_token(int id, const char* content, bool lstrip = false) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", lstrip},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

nlohmann::json byte_level_vocabulary() {
  nlohmann::json vocabulary = {{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}};
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

std::string small_word_piece_json() {
  return nlohmann::json{{"version", "1.0"},
                        {"truncation", nullptr},
                        {"padding", nullptr},
                        {"added_tokens", {added_token(0, "[PAD]"), added_token(2, "[CLS]"), added_token(3, "[SEP]")}},
                        {"normalizer",
                         {{"type", "BertNormalizer"},
                          {"clean_text", true},
                          {"handle_chinese_chars", true},
                          {"strip_accents", nullptr},
                          {"lowercase", true}}},
                        {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                        {"post_processor",
                         {{"type", "BertProcessing"},
                          {"sep", nlohmann::json::array({"[SEP]", 3})},
                          {"cls", nlohmann::json::array({"[CLS]", 2})}}},
                        {"decoder", nullptr},
                        {"model",
                         {{"type", "WordPiece"},
                          {"unk_token", "[UNK]"},
                          {"continuing_subword_prefix", "##"},
                          {"max_input_chars_per_word", 100},
                          {"vocab",
                           {{"[PAD]", 0},
                            {"[UNK]", 1},
                            {"[CLS]", 2},
                            {"[SEP]", 3},
                            {"[MASK]", 4},
                            {"a", 5},
                            {"b", 6},
                            {"cat", 7},
                            {"##s", 8},
                            {"##b", 9},
                            {",", 10},
                            {"ab", 11}}}}}}
      .dump();
}

TokenizerFiles small_byte_level_files() {
  return {{}, {{"vocab.json", byte_level_vocabulary().dump()}, {"merges.txt", "#version: 0.2\nh e\n\u0120 he\n"}}};
}

std::string small_byte_level_json() {
  return nlohmann::json{
      {"version", "1.0"},
      {"added_tokens", {added_token(0, "<s>"), added_token(2, "</s>"), added_token(262, "<mask>", true)}},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}},
      {"post_processor",
       {{"type", "RobertaProcessing"},
        {"sep", nlohmann::json::array({"</s>", 2})},
        {"cls", nlohmann::json::array({"<s>", 0})},
        {"trim_offsets", true},
        {"add_prefix_space", false}}},
      {"model", {{"type", "BPE"}, {"vocab", byte_level_vocabulary()}, {"merges", {"h e", "\u0120 he"}}}}}
      .dump();
}

}  // namespace gausscse::testing_support
