#include "data/tokenizer/tokenizer.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

// Expects an InputError whose message has all the parts.
void expect_refused(const TokenizerFiles& files, const std::vector<std::string>& parts) {
  try {
    make_tokenizer(files);
    ADD_FAILURE() << "accepted, but expected: " << testing::PrintToString(parts);
  } catch (const InputError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "no " << part << " in: " << error.what();
    }
  }
}

void expect_json_refused(const std::string& tokenizer_json, const std::vector<std::string>& parts) {
  expect_refused({{}, {{"tokenizer.json", tokenizer_json}}}, parts);
}

void expect_vocabulary_refused(const std::string& vocabulary, const std::vector<std::string>& parts) {
  expect_refused({{}, {{"vocab.txt", vocabulary}}}, parts);
}

TEST(BadVocabTxt, IsRefusedWithItsLine) {
  expect_vocabulary_refused("", {"vocab.txt", "no token"});
  expect_vocabulary_refused("[CLS]\n[SEP]\na\n", {"vocab.txt", "no token \"[UNK]\""});
  expect_vocabulary_refused("[UNK]\n[SEP]\na\n", {"vocab.txt", "no token \"[CLS]\"", "cls_token"});
  expect_vocabulary_refused("[UNK]\n[CLS]\na\n", {"vocab.txt", "no token \"[SEP]\"", "sep_token"});
  expect_vocabulary_refused("[UNK]\n[CLS]\n[SEP]\na\nb\na\n", {"vocab.txt:6", "\"a\"", "line 4"});
  expect_vocabulary_refused("[UNK]\n[CLS]\n[SEP]\n\xff\x01\n", {"vocab.txt:4", "\"\\xff\\x01\"", "not UTF-8"});
  expect_vocabulary_refused("\xEF\xBB\xBF[UNK]\n[CLS]\n[SEP]\n", {"vocab.txt:1", "byte-order mark"});
}

TEST(BadVocabJsonAndMerges, AreRefused) {
  const auto refused = [](const char* name, const std::string& content, const std::vector<std::string>& parts) {
    TokenizerFiles files = small_byte_level_files();
    files.contents[name] = content;
    expect_refused(files, parts);
  };
  refused("vocab.json", "", {"vocab.json"});
  refused("vocab.json", "[1, 2]", {"vocab.json", "object"});
  refused("vocab.json", R"({"a": 0, "a": 1})", {"vocab.json", "\"a\""});
  refused("vocab.json", R"({"a": 0, "b": 0})", {"vocab.json", "id 0", "\"a\" and \"b\""});
  refused("vocab.json", R"({"a": -1})", {"vocab.json", "\"a\"", "-1"});
  refused("vocab.json", R"({"a": 1.5})", {"vocab.json", "1.5"});
  refused("vocab.json", R"({"a": "1"})", {"vocab.json", "\"1\""});
  refused("vocab.json", R"({"a": 2147483647})", {"vocab.json", "2147483647"});
  refused("vocab.json", R"({"a": 99999999999999999999})", {"vocab.json"});
  refused("vocab.json", "{\"\xff\": 1}", {"vocab.json"});
  refused("vocab.json", "{}", {"vocab.json", "no token"});
  refused("vocab.json", R"({"<s>": 0, "</s>": 1})", {"merges.txt", "merge 1", "token \"h\""});
  refused("merges.txt", "#version: 0.2\nh e\nh x\n", {"merges.txt", "merge 2", "\"h\" \"x\"", "token \"hx\""});
  refused("merges.txt", "h e\n\u4e2d e\n", {"merges.txt", "merge 2", "token \"\u4e2d\""});
  refused("merges.txt", "h e\nh e\n", {"merges.txt", "merge 2", "the same as merge 1"});
  refused("merges.txt", "#version: 0.2\nh e\nhe\n", {"merges.txt:3", "\"he\"", "not a merge"});
  refused("merges.txt", "h e x\n", {"merges.txt:1", "not a merge"});
  refused("merges.txt", "h e\n\n", {"merges.txt:2", "not a merge"});
  refused("merges.txt", "h \xff\n", {"merges.txt:1", "not UTF-8"});
}

TEST(BadVocabJson, WithoutAByteIsRefused) {
  TokenizerFiles files = small_byte_level_files();
  files.contents["vocab.json"] = changed(files.contents["vocab.json"], "/\u0120", "");
  files.contents["merges.txt"] = "h e\n";
  expect_refused(files, {"vocab.json", "\"\u0120\"", "byte 32"});
}

TEST(BadConfig, IsRefused) {
  const auto refused = [](const std::string& config, const std::vector<std::string>& parts) {
    TokenizerFiles files = small_word_piece_files();
    files.contents["tokenizer_config.json"] = config;
    expect_refused(files, parts);
  };
  refused("{", {"tokenizer_config.json"});
  refused("[]", {"tokenizer_config.json", "object"});
  refused(R"({"do_lower_case": "yes"})", {"tokenizer_config.json.do_lower_case", "true or false", "\"yes\""});
  refused(R"({"do_lower_case": true, "do_lower_case": false})", {"tokenizer_config.json", "do_lower_case"});
  refused(R"({"tokenizer_class": "XLNetTokenizer"})", {"tokenizer_class", "\"XLNetTokenizer\""});
  refused(R"({"do_basic_tokenize": false})", {"do_basic_tokenize"});
  refused(R"({"never_split": ["x"]})", {"never_split"});
  refused(R"({"cls_token": "[X]"})", {"vocab.txt", "\"[X]\"", "cls_token"});
  refused(R"({"mask_token": "[X]"})", {"vocab.txt", "\"[X]\"", "mask_token"});
  refused(R"({"cls_token": {"lstrip": true}})", {"tokenizer_config.json.cls_token", "\"content\""});
  refused(R"({"cls_token": 5})", {"cls_token", "string"});
  refused(R"({"cls_token": ""})", {"vocab.txt", "cls_token"});
  refused(R"({"additional_special_tokens": ["<x>"]})", {"additional_special_tokens"});
  refused(R"({"added_tokens_decoder": {"12": {"content": "<x>"}}})", {"added_tokens_decoder", "12"});
}

TEST(BadTokenizerJson, ThatIsNoJsonIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("{\"a\": \xff}"),
        std::string(100000, '['), "{\"model\":" + std::string(1000, '[') + std::string(1000, ']') + "}",
        small_word_piece_json() + "{}", std::string(R"({"version": "1.0", "version": "1.0"})")}) {
    expect_refused({{}, {{"tokenizer.json", text}}}, {"tokenizer.json"});
  }
}

TEST(BadTokenizerJson, WithEntriesNotUnderstoodIsRefused) {
  const std::string bert = small_word_piece_json();
  const std::string roberta = small_byte_level_json();
  expect_json_refused(changed(bert, "/normaliser", "1"), {"tokenizer.json", "\"normaliser\"", "\"normalizer\"?"});
  expect_json_refused(changed(bert, "/version", R"("2.0")"), {"tokenizer.json.version", "\"2.0\""});
  expect_json_refused(changed(bert, "/model", ""), {"tokenizer.json", "no \"model\""});
  expect_json_refused(changed(bert, "/model/type", R"("WordLevel")"), {"model.type", "\"WordLevel\""});
  expect_json_refused(changed(bert, "/model/speed", "1"), {"tokenizer.json.model", "\"speed\""});
  expect_json_refused(changed(bert, "/model/unk_token", ""), {"model", "\"unk_token\""});
  expect_json_refused(changed(bert, "/model/unk_token", R"("[X]")"), {"tokenizer.json", "\"[X]\""});
  expect_json_refused(changed(bert, "/model/max_input_chars_per_word", "-1"), {"max_input_chars_per_word", "-1"});
  expect_json_refused(changed(bert, "/model/vocab", "[]"), {"model.vocab", "object"});
  expect_json_refused(changed(bert, "/model/vocab/b", "5"), {"model.vocab", "id 5", "\"a\" and \"b\""});
  expect_json_refused(changed(bert, "/normalizer/type", R"("NFC")"), {"normalizer.type", "\"NFC\""});
  expect_json_refused(changed(bert, "/normalizer/lowercase", "1"), {"normalizer.lowercase", "true or false"});
  expect_json_refused(changed(bert, "/normalizer/nfkc", "true"), {"normalizer", "\"nfkc\""});
  expect_json_refused(changed(bert, "/normalizer", R"("x")"), {"normalizer", "object", "\"x\""});
  expect_json_refused(changed(bert, "/pre_tokenizer", "null"), {"pre_tokenizer"});
  expect_json_refused(changed(bert, "/pre_tokenizer/type", R"("Whitespace")"), {"pre_tokenizer.type", "Whitespace"});
  expect_json_refused(changed(roberta, "/normalizer", R"({"type": "NFD"})"), {"normalizer.type", "\"NFD\""});
  expect_json_refused(changed(roberta, "/pre_tokenizer/use_regex", "false"), {"pre_tokenizer.use_regex"});
  expect_json_refused(changed(roberta, "/pre_tokenizer/add_prefix_space", ""), {"\"add_prefix_space\""});
  expect_json_refused(changed(roberta, "/pre_tokenizer", "null"), {"pre_tokenizer"});
  expect_json_refused(changed(roberta, "/pre_tokenizer/type", R"("Metaspace")"),
                      {"tokenizer.json.pre_tokenizer.type is \"Metaspace\"", "a BPE model takes ByteLevel"});
  expect_json_refused(changed(roberta, "/model/dropout", "0.1"), {"model.dropout", "0.1"});
  expect_json_refused(changed(roberta, "/model/end_of_word_suffix", R"("</w>")"), {"end_of_word_suffix", "</w>"});
  expect_json_refused(changed(roberta, "/model/merges", "3"), {"model.merges", "array"});
  expect_json_refused(changed(roberta, "/model/merges/1", "3"), {"model.merges[1]"});
  expect_json_refused(changed(roberta, "/model/merges/1", R"(["h", "q"])"), {"model.merges", "merge 2", "\"hq\""});
}

TEST(BadTokenizerJson, WithWrongAddedTokensIsRefused) {
  const std::string bert = small_word_piece_json();
  expect_json_refused(changed(bert, "/added_tokens", "1"), {"added_tokens", "array"});
  expect_json_refused(changed(bert, "/added_tokens/1/id", "7"), {"added_tokens[1]", "\"[CLS]\"", "id 7", "2"});
  expect_json_refused(changed(bert, "/added_tokens/1/content", ""), {"added_tokens[1]", "\"content\""});
  expect_json_refused(changed(bert, "/added_tokens/1/case", "1"), {"added_tokens[1]", "\"case\""});
  expect_json_refused(changed(bert, "/added_tokens/-", R"({"id": 2, "content": "[CLS]", "special": true})"),
                      {"\"[CLS]\"", "the same"});
  expect_json_refused(changed(bert, "/added_tokens/-", R"({"id": 13, "content": "<new>"})"),
                      {"\"<new>\"", "id 13", "12"});
  expect_json_refused(changed(bert, "/added_tokens/-", R"({"id": 12, "content": ""})"), {"id 12", "empty"});
  expect_json_refused(changed(bert, "/added_tokens/-", R"({"id": 12, "content": "\u0301"})"),
                      {"id 12", "nothing of it is left"});
  // With a gap before it, the id after the last token is not the number of tokens.
  const std::string gap = changed(bert, "/model/vocab/ab", "12");
  expect_json_refused(changed(gap, "/added_tokens/-", R"({"id": 12, "content": "<new>"})"),
                      {"\"<new>\"", "12", "gaps"});
}

TEST(BadTokenizerJson, WithWrongPostProcessorIsRefused) {
  const std::string bert = small_word_piece_json();
  expect_json_refused(changed(bert, "/post_processor", ""), {"post_processor", "missing"});
  expect_json_refused(changed(bert, "/post_processor/type", R"("ByteLevel")"), {"post_processor.type", "ByteLevel"});
  expect_json_refused(changed(bert, "/post_processor/cls/1", "3"), {"post_processor.cls", "\"[CLS]\"", "id 3"});
  expect_json_refused(changed(bert, "/post_processor/cls", R"("[CLS]")"), {"post_processor.cls"});
  expect_json_refused(changed(bert, "/post_processor/sep/0", R"("[X]")"), {"\"[X]\"", "no such token"});
}

TEST(BadTokenizerJson, WithWrongTemplateIsRefused) {
  const std::string sentence = R"({"Sequence": {"id": "A", "type_id": 0}})";
  const std::string original =
      changed(small_word_piece_json(), "/post_processor",
              concat(R"({"type": "TemplateProcessing", "pair": [], "single": [)",
                     R"({"SpecialToken": {"id": "[CLS]", "type_id": 0}}, )", sentence, R"(], "special_tokens": {)",
                     R"("[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}})"));
  const auto refused = [&](const char* pointer, const std::string& value, const std::vector<std::string>& parts) {
    expect_json_refused(changed(original, concat("/post_processor", pointer), value), parts);
  };
  EXPECT_NO_THROW(make_tokenizer({{}, {{"tokenizer.json", original}}}));
  refused("/single/0", "", {"post_processor", "no special token before"});
  refused("/single/1", "", {"post_processor.single", "no sentence"});
  refused("/single/-", sentence, {"single[2]", "\"A\""});
  refused("/single/1/Sequence/id", R"("B")", {"single[1]", "\"B\""});
  refused("/single/1/Sequence/type_id", "1", {"single[1]", "type_id"});
  refused("/single/0/SpecialToken/id", R"("[X]")", {"special_tokens", "\"[X]\""});
  refused("/single/0", R"({"Token": 1})", {"single[0]", "\"Token\""});
  refused("/special_tokens/[CLS]/ids/0", "9", {"\"[CLS]\"", "id 9"});
  refused("/special_tokens/[CLS]/ids", "[2, 2]", {"as many ids as tokens"});
  refused("/special_tokens", "", {"special_tokens"});
}

/// [CLS] [MASK] before a sentence and [SEP] behind it.
TEST(TokenizerJson, WithThreeSpecialTokensNeedsRoomForAFourth) {
  const std::string processor = R"({"type": "TemplateProcessing", "pair": [], "single": [
      {"SpecialToken": {"id": "start", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "end", "type_id": 0}}], "special_tokens": {
      "start": {"id": "start", "ids": [2, 4], "tokens": ["[CLS]", "[MASK]"]},
      "end": {"id": "end", "ids": [3], "tokens": ["[SEP]"]}}})";
  const auto tokenizer =
      make_tokenizer({{}, {{"tokenizer.json", changed(small_word_piece_json(), "/post_processor", processor)}}});
  std::vector<std::uint32_t> ids;
  EXPECT_THROW(tokenizer->encode("a b", 3, ids), InputError);
  EXPECT_TRUE(tokenizer->encode("a b", 4, ids));
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{2, 4, 5, 3}));
}

TEST(TokenizerJson, WithTruncationAndPaddingIsTakenWithoutThem) {
  std::string tokenizer_json = changed(small_word_piece_json(), "/truncation", R"({"max_length": 3})");
  tokenizer_json = changed(tokenizer_json, "/padding", R"({"pad_id": 0, "strategy": {"Fixed": 128}})");
  std::vector<std::uint32_t> ids;
  EXPECT_FALSE(make_tokenizer({{}, {{"tokenizer.json", tokenizer_json}}})->encode("a b a", 64, ids));
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{2, 5, 6, 5, 3}));
}

}  // namespace
}  // namespace gausscse
