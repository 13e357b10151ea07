#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "data/tokenizer/tokenizer_files.hpp"
#include "small_tokenizers.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
using testing_support::small_byte_level_files;
using testing_support::small_byte_level_json;
using testing_support::small_word_piece_files;
using testing_support::small_word_piece_json;

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

void expect_json_refused(const std::string& original, const std::function<void(json&)>& change,
                         const std::vector<std::string>& parts) {
  json document = json::parse(original);
  change(document);
  expect_refused({{}, {{"tokenizer.json", document.dump()}}}, parts);
}

void expect_bert_refused(const std::function<void(json&)>& change, const std::vector<std::string>& parts) {
  expect_json_refused(small_word_piece_json(), change, parts);
}

void expect_roberta_refused(const std::function<void(json&)>& change, const std::vector<std::string>& parts) {
  expect_json_refused(small_byte_level_json(), change, parts);
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
  json vocabulary = json::parse(files.contents["vocab.json"]);
  vocabulary.erase("\u0120");
  files.contents["vocab.json"] = vocabulary.dump();
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
  expect_bert_refused([](json& j) { j["normaliser"] = 1; }, {"tokenizer.json", "\"normaliser\"", "\"normalizer\"?"});
  expect_bert_refused([](json& j) { j["version"] = "2.0"; }, {"tokenizer.json.version", "\"2.0\""});
  expect_bert_refused([](json& j) { j.erase("model"); }, {"tokenizer.json", "no \"model\""});
  expect_bert_refused([](json& j) { j["model"]["type"] = "Unigram"; }, {"model.type", "\"Unigram\""});
  expect_bert_refused([](json& j) { j["model"]["speed"] = 1; }, {"tokenizer.json.model", "\"speed\""});
  expect_bert_refused([](json& j) { j["model"].erase("unk_token"); }, {"model", "\"unk_token\""});
  expect_bert_refused([](json& j) { j["model"]["unk_token"] = "[X]"; }, {"tokenizer.json", "\"[X]\""});
  expect_bert_refused([](json& j) { j["model"]["max_input_chars_per_word"] = -1; }, {"max_input_chars_per_word", "-1"});
  expect_bert_refused([](json& j) { j["model"]["vocab"] = json::array(); }, {"model.vocab", "object"});
  expect_bert_refused([](json& j) { j["model"]["vocab"]["b"] = 5; }, {"model.vocab", "id 5", "\"a\" and \"b\""});
  expect_bert_refused([](json& j) { j["normalizer"]["type"] = "NFC"; }, {"normalizer.type", "\"NFC\""});
  expect_bert_refused([](json& j) { j["normalizer"]["lowercase"] = 1; }, {"normalizer.lowercase", "true or false"});
  expect_bert_refused([](json& j) { j["normalizer"]["nfkc"] = true; }, {"normalizer", "\"nfkc\""});
  expect_bert_refused([](json& j) { j["normalizer"] = "x"; }, {"normalizer", "object", "\"x\""});
  expect_bert_refused([](json& j) { j["pre_tokenizer"] = nullptr; }, {"pre_tokenizer"});
  expect_bert_refused([](json& j) { j["pre_tokenizer"]["type"] = "Whitespace"; }, {"pre_tokenizer.type", "Whitespace"});
  expect_roberta_refused([](json& j) { j["normalizer"] = {{"type", "NFC"}}; }, {"normalizer"});
  expect_roberta_refused([](json& j) { j["pre_tokenizer"]["use_regex"] = false; }, {"pre_tokenizer.use_regex"});
  expect_roberta_refused([](json& j) { j["pre_tokenizer"].erase("add_prefix_space"); }, {"\"add_prefix_space\""});
  expect_roberta_refused([](json& j) { j["pre_tokenizer"] = nullptr; }, {"pre_tokenizer"});
  expect_roberta_refused([](json& j) { j["model"]["dropout"] = 0.1; }, {"model.dropout", "0.1"});
  expect_roberta_refused([](json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }, {"end_of_word_suffix", "</w>"});
  expect_roberta_refused([](json& j) { j["model"]["merges"] = 3; }, {"model.merges", "array"});
  expect_roberta_refused([](json& j) { j["model"]["merges"][1] = 3; }, {"model.merges[1]"});
  expect_roberta_refused([](json& j) { j["model"]["merges"][1] = {"h", "q"}; }, {"model.merges", "merge 2", "\"hq\""});
}

TEST(BadTokenizerJson, WithWrongAddedTokensIsRefused) {
  expect_bert_refused([](json& j) { j["added_tokens"] = 1; }, {"added_tokens", "array"});
  expect_bert_refused([](json& j) { j["added_tokens"][1]["id"] = 7; }, {"added_tokens[1]", "\"[CLS]\"", "id 7", "2"});
  expect_bert_refused([](json& j) { j["added_tokens"][1].erase("content"); }, {"added_tokens[1]", "\"content\""});
  expect_bert_refused([](json& j) { j["added_tokens"][1]["case"] = 1; }, {"added_tokens[1]", "\"case\""});
  expect_bert_refused([](json& j) { j["added_tokens"].push_back(j["added_tokens"][1]); }, {"\"[CLS]\"", "the same"});
  expect_bert_refused(
      [](json& j) {
        j["added_tokens"].push_back({{"id", 13}, {"content", "<new>"}});
      },
      {"\"<new>\"", "id 13", "12"});
  expect_bert_refused([](json& j) { j["added_tokens"].push_back({{"id", 12}, {"content", ""}}); }, {"id 12", "empty"});
  expect_bert_refused(
      [](json& j) {
        j["added_tokens"].push_back({{"id", 12}, {"content", "\u0301"}});
      },
      {"id 12", "nothing of it is left"});
  // With a gap before it, the id after the last token is not the number of tokens.
  expect_bert_refused(
      [](json& j) {
        j["model"]["vocab"]["ab"] = 12;
        j["added_tokens"].push_back({{"id", 12}, {"content", "<new>"}});
      },
      {"\"<new>\"", "12", "gaps"});
}

TEST(BadTokenizerJson, WithWrongPostProcessorIsRefused) {
  expect_bert_refused([](json& j) { j.erase("post_processor"); }, {"post_processor", "missing"});
  expect_bert_refused([](json& j) { j["post_processor"]["type"] = "ByteLevel"; }, {"post_processor.type", "ByteLevel"});
  expect_bert_refused([](json& j) { j["post_processor"]["cls"][1] = 3; }, {"post_processor.cls", "\"[CLS]\"", "id 3"});
  expect_bert_refused([](json& j) { j["post_processor"]["cls"] = "[CLS]"; }, {"post_processor.cls"});
  expect_bert_refused([](json& j) { j["post_processor"]["sep"][0] = "[X]"; }, {"\"[X]\"", "no such token"});
  const auto template_refused = [](const std::function<void(json&)>& change, const std::vector<std::string>& parts) {
    expect_bert_refused(
        [&](json& j) {
          const json cls = {{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}};
          const json sentence = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
          const json token = {{"id", "[CLS]"}, {"ids", {2}}, {"tokens", {"[CLS]"}}};
          j["post_processor"] = {{"type", "TemplateProcessing"},
                                 {"single", {cls, sentence}},
                                 {"pair", json::array()},
                                 {"special_tokens", {{"[CLS]", token}}}};
          change(j["post_processor"]);
        },
        parts);
  };
  template_refused([](json& p) { p["single"].erase(0); }, {"post_processor", "no special token before"});
  template_refused([](json& p) { p["single"].erase(1); }, {"post_processor.single", "no sentence"});
  template_refused([](json& p) { p["single"].push_back(p["single"][1]); }, {"single[2]", "\"A\""});
  template_refused([](json& p) { p["single"][1]["Sequence"]["id"] = "B"; }, {"single[1]", "\"B\""});
  template_refused([](json& p) { p["single"][1]["Sequence"]["type_id"] = 1; }, {"single[1]", "type_id"});
  template_refused([](json& p) { p["single"][0]["SpecialToken"]["id"] = "[X]"; }, {"special_tokens", "\"[X]\""});
  template_refused([](json& p) { p["single"][0] = {{"Token", 1}}; }, {"single[0]", "\"Token\""});
  template_refused([](json& p) { p["special_tokens"]["[CLS]"]["ids"][0] = 9; }, {"\"[CLS]\"", "id 9"});
  template_refused([](json& p) { p["special_tokens"]["[CLS]"]["ids"] = {2, 2}; }, {"as many ids as tokens"});
  template_refused([](json& p) { p.erase("special_tokens"); }, {"special_tokens"});
}

TEST(TokenizerJson, WithTruncationAndPaddingIsTakenWithoutThem) {
  json document = json::parse(small_word_piece_json());
  document["truncation"] = {{"max_length", 3}};
  document["padding"] = {{"pad_id", 0}, {"strategy", {{"Fixed", 128}}}};
  std::vector<std::uint32_t> ids;
  EXPECT_FALSE(make_tokenizer({{}, {{"tokenizer.json", document.dump()}}})->encode("a b a", 64, ids));
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{2, 5, 6, 5, 3}));
}

}  // namespace
}  // namespace gausscse
