#include "data/tokenizer/model_files.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

TokenizerFiles files_of(const std::string& tokenizer_json) {
  return {{}, {{"tokenizer.json", tokenizer_json}}};
}

TEST(ModelJson, LaterPiecesOfAWordHaveTheFilesPrefix) {
  std::string json = changed(small_word_piece_json(), "/model/continuing_subword_prefix", R"("@@")");
  EXPECT_EQ(encode(files_of(json), "cats"), (Ids{2, 1, 3})) << "there is ##s, but no @@s";
  json = changed(json, "/model/vocab/@@s", "12");
  EXPECT_EQ(encode(files_of(json), "cats abb"), (Ids{2, 7, 12, 1, 3}));
  json = changed(json, "/model/continuing_subword_prefix", R"("")");
  EXPECT_EQ(encode(files_of(json), "catab cats"), (Ids{2, 7, 11, 1, 3}));
}

TEST(ModelJson, LongerWordsThanTheFileSaysAreUnknown) {
  const std::string json = changed(small_word_piece_json(), "/model/max_input_chars_per_word", "2");
  EXPECT_EQ(encode(files_of(json), "cat ab b"), (Ids{2, 1, 11, 6, 3}));
}

/// "hex" and " hex" are tokens that no merge makes.
TEST(ModelJson, WholeWordsAreLookedUpWhereMergesAreIgnored) {
  std::string json = changed(small_byte_level_json(), "/model/vocab/hex", "263");
  EXPECT_EQ(encode(files_of(json), "hex hex"), (Ids{0, 260, 4 + 'x', 261, 4 + 'x', 2}));
  json = changed(json, "/model/ignore_merges", "false");
  EXPECT_EQ(encode(files_of(json), "hex"), (Ids{0, 260, 4 + 'x', 2}));
  json = changed(json, "/model/ignore_merges", "true");
  EXPECT_EQ(encode(files_of(json), "hex hex hexe"), (Ids{0, 263, 261, 4 + 'x', 261, 4 + 'x', 4 + 'e', 2}));
}

TEST(ModelJson, TheTypeFollowsFromOtherKeysWhereItIsNotNamed) {
  EXPECT_EQ(encode(files_of(changed(small_word_piece_json(), "/model/type", "")), "cats"), (Ids{2, 7, 8, 3}));
  EXPECT_EQ(encode(files_of(changed(small_byte_level_json(), "/model/type", "")), "he"), (Ids{0, 260, 2}));
  EXPECT_EQ(encode(files_of(changed(small_unigram_json(), "/model/type", "")), "ab"), (Ids{0, 5, 7, 2}));
}

TEST(ModelJson, ByteLevelPiecesHaveNoPrefixAndNoSuffix) {
  const std::string json = small_byte_level_json();
  for (const std::string key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    EXPECT_EQ(message_of(files_of(changed(json, "/model/" + key, R"("##")"))),
              "tokenizer.json.model." + key + " is \"##\", which is not understood: byte-level BPE has none");
    for (const char* none : {"null", R"("")"})
      EXPECT_EQ(encode(files_of(changed(json, "/model/" + key, none)), "he"), (Ids{0, 260, 2})) << key;
  }
}

TEST(ModelJson, MergesArePairsOrLines) {
  const std::string json = changed(small_byte_level_json(), "/model/merges/0", R"(["h", "e"])");
  EXPECT_EQ(encode(files_of(json), "he he"), (Ids{0, 260, 261, 2}));
  for (const char* other : {R"(["h"])", R"(["h", "e", "x"])", R"(["h", 1])", R"([1, "e"])", R"({"h": "e"})", "null"}) {
    EXPECT_EQ(
        message_of(files_of(changed(json, "/model/merges/1", other))),
        "tokenizer.json.model.merges[1] must be \"left right\" or [\"left\", \"right\"]; give the model's own file")
        << other;
  }
  for (const std::string line : {"he", "h e x", "h  e", ""}) {
    EXPECT_EQ(message_of(files_of(changed(json, "/model/merges/1", "\"" + line + "\""))),
              "tokenizer.json.model.merges[1]: \"" + line +
                  "\" is not a merge: two tokens with one space between them; give the model's own file");
  }
}

TEST(MergesTxt, MayHaveLinesAsWindowsEndsThem) {
  TokenizerFiles files = small_byte_level_files();
  files.contents["merges.txt"] = "#version: 0.2\r\nh e\r\n\u0120 he\r\n";
  EXPECT_EQ(encode(files, "he he"), (Ids{0, 260, 261, 2}));
}

TEST(MergesTxt, BadLinesAreReportedWithTheirNumber) {
  TokenizerFiles files = small_byte_level_files();
  const auto refused = [&](const std::string& merges) {
    files.contents["merges.txt"] = merges;
    return message_of(files);
  };
  EXPECT_EQ(refused("#version: 0.2\nh e\n\u0120  he\n"),
            "merges.txt:3: \"\u0120  he\" is not a merge: two tokens with one space between them; give the model's own "
            "file");
  EXPECT_EQ(refused("h e\nh \xff\n"), "merges.txt:2: \"h \\xff\" is not UTF-8; give the model's own file");
  EXPECT_EQ(
      refused("#version: 0.2\nh e\n\u0120 hx\n"),
      "merges.txt: merge 2 (\"\u0120\" \"hx\") needs token \"hx\", which the vocabulary does not have; give merges "
      "and vocabulary of the same model");
}

/// The byte is counted from 1 within its line.
TEST(VocabTxt, BadBytesAreReportedWithTheirLine) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] +=
      "ab\xff"
      "c\nd\n";
  EXPECT_EQ(message_of(files),
            "vocab.txt:13: byte 3 of \"ab\\xffc\" is not UTF-8, so the token could never be met in a text; give the "
            "model's own file");
}

}  // namespace
}  // namespace gausscse
