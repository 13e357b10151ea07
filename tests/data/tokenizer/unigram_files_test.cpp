#include <nlohmann/json.hpp>

#include "data/tokenizer/text_normalizer.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids ids_of(const std::string& json, std::string_view text) {
  return encode({{}, {{"tokenizer.json", json}}}, text);
}

std::string message_with(const std::string& pointer, const std::string& value) {
  return message_of({{}, {{"tokenizer.json", changed(small_unigram_json(), pointer, value)}}});
}

/// Expects that the file is refused with a message that begins with the place and has the problem.
void expect_refused(const std::string& pointer, const std::string& value, const std::string& place,
                    const std::string& problem) {
  const std::string message = message_with(pointer, value);
  EXPECT_TRUE(message.starts_with("tokenizer.json." + place)) << message;
  EXPECT_TRUE(says(message, problem)) << message;
}

TEST(UnigramFiles, AreReadWithTheirNormalizer) {
  const std::string json = small_unigram_json();
  EXPECT_EQ(ids_of(json, "a ab\u2460\ta<mask> \u4dc0"), (Ids{0, 5, 5, 7, 8, 5, 9, 4, 3, 2}));
  EXPECT_EQ(ids_of(changed(json, "/normalizer", "null"), "a\u2460 a"), (Ids{0, 5, 3, 5, 2}));
  const auto with_steps = [&](const std::string& steps) {
    return changed(json, "/normalizer", R"({"type": "Sequence", "normalizers": [)" + steps + "]}");
  };
  EXPECT_EQ(ids_of(with_steps(R"({"type": "Replace", "pattern": {"String": "xx"}, "content": "b"})"), "xxx a"),
            (Ids{0, 4, 7, 3, 5, 2}));
  EXPECT_EQ(ids_of(with_steps(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "b"})"), "a a   a"),
            (Ids{0, 5, 5, 7, 6, 2}));
  EXPECT_EQ(ids_of(with_steps(R"({"type": "NFKC"})"), "\u2460\u00bd"), (Ids{0, 4, 8, 8, 3, 2}));
  EXPECT_EQ(ids_of(with_steps(""), "\u2460"), (Ids{0, 4, 3, 2}));
}

/// A line's end is one cluster, and a zero is in no key: the trie has "\r\n", as "b", and the unit where a zero leads
/// is that of a key.
TEST(UnigramFiles, ReplaceALinesEndAsAWholeAndNoZero) {
  const std::string table = charsmap_of({{0, 1 << 10},
                                         {1, (1 ^ 2) << 10 | 0x100},
                                         {2, 0x80000000},
                                         {1 ^ 13, (1 ^ 13 ^ 32) << 10 | 13},
                                         {32 ^ 10, (32 ^ 10 ^ 3) << 10 | 0x100 | 10},
                                         {3, 0x80000000}},
                                        "b");
  const std::string json =
      changed(small_unigram_json(), "/normalizer/precompiled_charsmap", nlohmann::json(table).dump());
  EXPECT_EQ(ids_of(json, "a\r\na"), (Ids{0, 5, 7, 6, 2}));
  EXPECT_EQ(ids_of(json, "a\ra\na"), (Ids{0, 5, 5, 5, 2}));
  EXPECT_EQ(ids_of(json, {"a\0a", 3}), (Ids{0, 5, 3, 6, 2}));
}

/// The characters are those of the `tokenizers` library (0.23.3), found by trying all.
TEST(UnigramFiles, RemoveAndReplaceTheCharactersOfNmt) {
  const std::set<char32_t> removed{0x1,  0x2,  0x3,  0x4,  0x5,  0x6,  0x7,  0x8,  0xB,  0xE,
                                   0xF,  0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
                                   0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x7F, 0x8F, 0x9F};
  const std::set<char32_t> spaces{0x9,    0xA,    0xC,    0xD,    0x1680, 0x200B, 0x200C, 0x200D,
                                  0x200E, 0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD};
  const TextNormalizer nmt({NmtSpaces{}});
  for (char32_t c = 0; c < 0x11000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text = "a", buffer;
    append_utf8(c, text);
    const std::string kept = spaces.contains(c) ? "a b" : text + "b";
    ASSERT_EQ(nmt.normalize(text + "b", buffer), removed.contains(c) ? "ab" : kept) << static_cast<std::uint32_t>(c);
  }
  const std::string json = changed(small_unigram_json(), "/normalizer", R"({"type": "Nmt"})");
  EXPECT_EQ(ids_of(json, "a\u200ba\u0001b"), (Ids{0, 5, 5, 7, 2}));
}

TEST(UnigramFiles, EndWordsBeforeMarksUnlessTheySayOtherwise) {
  std::string json = changed(small_unigram_json(), "/model/vocab/7/0", R"("a\u2581a")");
  EXPECT_EQ(ids_of(json, "aa\u2581a"), (Ids{0, 5, 6, 5, 2}));
  json = changed(json, "/pre_tokenizer/pretokenizers/1/split", "false");
  EXPECT_EQ(ids_of(json, "a\u2581a aa\u2581a"), (Ids{0, 5, 5, 5, 7, 2}));
}

TEST(UnigramFiles, StripTheEndsThatTheySay) {
  const auto ids = [](const char* left, const char* right, std::string_view text) {
    std::string json = changed(small_unigram_json(), "/normalizer/type", "\"Strip\"");
    json = changed(json, "/normalizer/precompiled_charsmap", "");
    json = changed(json, "/normalizer/strip_left", left);
    json = changed(json, "/normalizer/strip_right", right);
    return ids_of(changed(json, "/pre_tokenizer", R"({"type": "Metaspace", "replacement": "\u2581"})"), text);
  };
  EXPECT_EQ(ids("false", "false", "  a  "), (Ids{0, 4, 5, 4, 4, 2}));
  EXPECT_EQ(ids("true", "false", "  a  "), (Ids{0, 5, 4, 4, 2}));
  EXPECT_EQ(ids("false", "true", "  a  "), (Ids{0, 4, 5, 2}));
  EXPECT_EQ(ids("true", "true", "\u3000\n a \t"), (Ids{0, 5, 2}));
  EXPECT_EQ(ids("true", "true", " \u00a0 "), (Ids{0, 2}));
}

/// The beginning of a sentence is not there behind a token, also one that is looked for in the normalized text.
TEST(UnigramFiles, MarkTheFirstWordOfASentenceAlone) {
  std::string json = changed(small_unigram_json(), "/pre_tokenizer",
                             R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first"})");
  for (const char* is_normalized : {"false", "true"}) {
    json = changed(json, "/added_tokens/2/normalized", is_normalized);
    EXPECT_EQ(ids_of(json, "a<mask>a a"), (Ids{0, 5, 9, 6, 5, 2}));
    EXPECT_EQ(ids_of(json, "<mask>a"), (Ids{0, 9, 6, 2}));
  }
  EXPECT_EQ(ids_of(changed(json, "/pre_tokenizer/prepend_scheme", "\"always\""), "a<mask>a"), (Ids{0, 5, 9, 5, 2}));
  EXPECT_EQ(ids_of(changed(json, "/pre_tokenizer/prepend_scheme", "\"never\""), "a<mask>a"), (Ids{0, 6, 9, 6, 2}));
  json = changed(json, "/normalizer", R"({"type": "Strip", "strip_left": true, "strip_right": false})");
  EXPECT_TRUE(
      says(message_of({{}, {{"tokenizer.json", json}}}), "prepend_scheme is \"first\", which is not understood"));
}

/// The `tokenizers` library (0.23.3) reads -7.86... a bit below the nearest double, so that the ways are not equal.
TEST(UnigramFiles, ScoresAreReadAsTheLibraryDoes) {
  std::string json = changed(small_unigram_json(), "/model/vocab", R"([["<s>", 0], ["<pad>", 0], ["</s>", 0],
      ["<unk>", 0.0], ["a", -7.86325069597126], ["bc", -5.838448965706068], ["ab", -2.3829204685864944],
      ["c", -11.318779193090833]])");
  json = changed(json, "/added_tokens/2", "");
  json =
      changed(json, "/pre_tokenizer", R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never"})");
  EXPECT_EQ(-7.86325069597126 - 5.838448965706068, -2.3829204685864944 - 11.318779193090833);
  EXPECT_EQ(ids_of(json, "abc"), (Ids{0, 6, 7, 2}));
}

TEST(UnigramFiles, WithABadModelAreRefused) {
  EXPECT_EQ(message_with("/model/unk_id", "3"), "accepted");
  expect_refused("/model/unk_id", "", "model", "has no \"unk_id\"");
  expect_refused("/model/unk_id", "null", "model.unk_id", "must be a token id");
  expect_refused("/model/unk_id", "10", "model.unk_id", "is 10, but there are 10 pieces");
  expect_refused("/model/byte_fallback", "true", "model.byte_fallback", "is true, which is not understood");
  expect_refused("/model/fuse_unk", "true", "model", "\"fuse_unk\"");
  expect_refused("/model/vocab", "{}", "model.vocab", "must be an array of pieces");
  expect_refused("/model/vocab", "[]", "model.unk_id", "there are 0 pieces");
  for (const char* piece : {"\"a\"", "[\"a\"]", "[\"a\", -1, 2]", "[1, -1]", "[\"a\", \"-1\"]", "[\"a\", null]"})
    expect_refused("/model/vocab/6", piece, "model.vocab[6]", "must be a piece and its score");
  expect_refused("/model/vocab/7/0", "\"a\"", "model.vocab", "token \"a\" has two ids, 6 and 7");
  const std::string json = small_unigram_json();
  for (const char* score : {"NaN", "1e999", "-Infinity"}) {
    std::string with_score = json;
    with_score.replace(with_score.find("-4.25"), 5, score);
    EXPECT_TRUE(says(message_of({{}, {{"tokenizer.json", with_score}}}), "tokenizer.json:1:")) << score;
  }
}

TEST(UnigramFiles, WithABadPreTokenizerAreRefused) {
  const std::string metaspace = "pre_tokenizer.pretokenizers[1]";
  const std::string at = "/pre_tokenizer/pretokenizers";
  expect_refused("/pre_tokenizer", "null", "pre_tokenizer", "is null");
  expect_refused("/pre_tokenizer/type", R"("ByteLevel")", "pre_tokenizer.type", "\"ByteLevel\"");
  expect_refused(at, "{}", "pre_tokenizer.pretokenizers", "must be WhitespaceSplit and Metaspace");
  expect_refused(at + "/0", "", "pre_tokenizer.pretokenizers", "must be WhitespaceSplit and Metaspace");
  expect_refused(at + "/0/type", R"("Whitespace")", "pre_tokenizer.pretokenizers[0].type", "\"Whitespace\"");
  expect_refused(at + "/0/speed", "1", "pre_tokenizer.pretokenizers[0]", "\"speed\"");
  expect_refused(at + "/1/type", R"("Split")", metaspace + ".type", "\"Split\"");
  expect_refused(at + "/1/speed", "1", metaspace, "\"speed\"");
  expect_refused(at + "/1/replacement", R"("_")", metaspace + ".replacement", "\"_\"");
  expect_refused(at + "/1/prepend_scheme", R"("last")", metaspace + ".prepend_scheme", "\"last\"");
  expect_refused(at + "/1/add_prefix_space", "false", metaspace + ".add_prefix_space", "is false");
  expect_refused(at + "/1/split", "1", metaspace + ".split", "true or false");
}

TEST(UnigramFiles, WithABadNormalizerAreRefused) {
  expect_refused("/normalizer/type", R"("Lowercase")", "normalizer.type", "\"Lowercase\"");
  expect_refused("/normalizer/speed", "1", "normalizer", "\"speed\"");
  expect_refused("/normalizer", R"({"type": "Sequence", "normalizers": {}})", "normalizer.normalizers", "an array");
  const std::string in_sequence = R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, )";
  const auto refuse = [&](const std::string& step, const std::string& place, const std::string& problem) {
    expect_refused("/normalizer", in_sequence + step + "]}", "normalizer.normalizers[1]" + place, problem);
  };
  refuse(R"({"type": "Strip", "strip_left": true})", "", "\"strip_right\"");
  refuse(R"({"type": "Strip", "strip_left": 1, "strip_right": true})", ".strip_left", "true or false");
  refuse(R"({"type": "Replace", "content": "x"})", "", "\"pattern\"");
  refuse(R"({"type": "Replace", "pattern": {"String": "x"}})", "", "\"content\"");
  refuse(R"({"type": "Replace", "pattern": {"String": ""}, "content": "x"})", ".pattern.String", "empty");
  refuse(R"({"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": "x"})", ".pattern.Regex", "\\s+");
  refuse(R"({"type": "Replace", "pattern": {"Glob": "*"}, "content": "x"})", ".pattern", "\"Glob\"");
}

TEST(UnigramFiles, WithABadTableOfReplacementsAreRefused) {
  const auto refuse = [](const std::string& table, const std::string& problem) {
    expect_refused("/normalizer/precompiled_charsmap", nlohmann::json(table).dump(),
                   "normalizer.precompiled_charsmap: ", problem);
  };
  expect_refused("/normalizer/precompiled_charsmap", "null", "normalizer.precompiled_charsmap", "must be a string");
  const std::string good = charsmap_of({}, "x");
  EXPECT_EQ(message_with("/normalizer/precompiled_charsmap", nlohmann::json(good).dump()), "accepted");
  refuse("", "has 0 bytes, too few");
  refuse("AAA=", "has 2 bytes, too few");
  for (const std::string& text :
       {good.substr(1), "*" + good.substr(1), "=" + good.substr(1), good + "=", good + "===="})
    refuse(text, "is not base64");
  refuse("AAAAAA==", "says that its trie has 0 bytes, of 4 in all");
  refuse("BQAAAAAAAAAA", "says that its trie has 5 bytes, of 9 in all");
  refuse("CAAAAAAAAAA=", "says that its trie has 8 bytes, of 8 in all");
  refuse("BAAAAAAAAAA=", "unit 0 of its trie points outside");
  refuse(charsmap_of({{0, 256 << 10}}, "x"), "unit 0 of its trie points outside");
  refuse(charsmap_of({{0, 0x80000000 | 256 << 10}}, "x"), "unit 0 of its trie points outside");
  refuse(charsmap_of({{0, 1 << 10 | 0x200}}, "x"), "unit 0 of its trie points outside");
  refuse(charsmap_of({{97, 0x40000000 | 97}}, "x"), "unit 97 of its trie points outside");
  refuse(charsmap_of({{97, (97 ^ 1) << 10 | 0x100 | 97}, {1, 0x80000001}}, "x"), "unit 97 of its trie points to no");
  refuse(charsmap_of({{97, (97 ^ 1) << 10 | 0x100 | 97}, {1, 0x80000001}}, "\u00e9"),
         "unit 97 of its trie points to no");
  refuse(charsmap_of({}, "\xff"), "replacements that are not UTF-8");
}

}  // namespace
}  // namespace gausscse
