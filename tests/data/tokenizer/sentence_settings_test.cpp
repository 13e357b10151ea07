#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

// What a model folder says of whole sentences, and where its files contradict each other.

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids cut_ids(const TokenizerFiles& files, std::string_view sentence, std::size_t max_tokens, bool expect_cut) {
  Ids ids{7};  // of an earlier sentence
  EXPECT_EQ(make_tokenizer(files)->encode(sentence, max_tokens, ids), expect_cut);
  EXPECT_EQ(ids.front(), 7u);
  ids.erase(ids.begin());
  return ids;
}

TokenizerFiles with_file(TokenizerFiles files, const std::string& name, const std::string& content) {
  files.contents[name] = content;
  return files;
}

std::string lowered(std::string_view text) {
  std::string out;
  append_lower_cased(text, out);
  return out;
}

/// The values are those of Python's str.lower().
TEST(SentenceSettings, LowerCaseIsThatOfPython) {
  EXPECT_EQ(lowered("ABC xyz 1 \u00c4\u00d6 \U0001F600"), "abc xyz 1 \u00e4\u00f6 \U0001F600");
  EXPECT_EQ(lowered("\u0130I"), "i\u0307i") << "a capital I with a dot";
  EXPECT_EQ(lowered("\u039f\u03a3 \u03a3\u0391"), "\u03bf\u03c2 \u03c3\u03b1") << "the sigma at a word's end";
  EXPECT_EQ(lowered("\u1e9e"), "\u00df");
  EXPECT_EQ(lowered(""), "");
}

TEST(SentenceSettings, SentencesAreLoweredBeforeAllElse) {
  const TokenizerFiles cased =
      with_file(small_word_piece_files(), "tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(encode(cased, "A cat [SEP]"), (Ids{2, 1, 7, 3, 3}));
  for (const char* name : {"sentence_bert_config.json", "sentence_roberta_config.json"}) {
    const TokenizerFiles lower = with_file(cased, name, R"({"do_lower_case": true})");
    EXPECT_EQ(encode(lower, "A cat"), (Ids{2, 5, 7, 3}));
    EXPECT_EQ(encode(lower, "A [SEP]"), (Ids{2, 5, 1, 1, 1, 3})) << "no special token is left in the text";
    EXPECT_TRUE(make_tokenizer(lower)->lowers_sentences());
    EXPECT_NE(make_tokenizer(lower)->fingerprint(), make_tokenizer(cased)->fingerprint());
  }
  const TokenizerFiles usual =
      with_file(cased, "sentence_bert_config.json", R"({"do_lower_case": false, "max_seq_length": 9})");
  EXPECT_EQ(encode(usual, "A cat"), (Ids{2, 1, 7, 3}));
  EXPECT_EQ(make_tokenizer(usual)->fingerprint(), make_tokenizer(cased)->fingerprint()) << "caches stay";
  EXPECT_TRUE(
      says(message_of(with_file(cased, "sentence_bert_config.json", R"({"do_lower_case": 1})")), "do_lower_case"));
}

TEST(SentenceSettings, LongSentencesLoseTheirBeginningWhereTheFilesSaySo) {
  const TokenizerFiles right = small_word_piece_files();
  const TokenizerFiles left = with_file(right, "tokenizer_config.json", R"({"truncation_side": "left"})");
  EXPECT_EQ(cut_ids(right, "a b cat ab", 4, true), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(cut_ids(left, "a b cat ab", 4, true), (Ids{2, 7, 11, 3}));
  EXPECT_EQ(cut_ids(left, "a b cat ab", 6, false), (Ids{2, 5, 6, 7, 11, 3}));
  EXPECT_EQ(cut_ids(left, "a b cat ab", 5, true), (Ids{2, 6, 7, 11, 3}));
  const auto of_json = [](const char* truncation) {
    return TokenizerFiles{{}, {{"tokenizer.json", changed(small_word_piece_json(), "/truncation", truncation)}}};
  };
  const TokenizerFiles json = of_json(R"({"direction": "Left", "max_length": 128, "strategy": "LongestFirst"})");
  EXPECT_EQ(cut_ids(json, "a b cat ab", 4, true), (Ids{2, 7, 11, 3}));
  const TokenizerFiles json_right = of_json(R"({"direction": "Right", "max_length": 128})");
  EXPECT_EQ(cut_ids(json_right, "a b cat ab", 4, true), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(cut_ids(with_file(json, "tokenizer_config.json", R"({"truncation_side": "left"})"), "a b cat ab", 4, true),
            (Ids{2, 7, 11, 3}));
  const std::string conflict = message_of(with_file(json, "tokenizer_config.json", R"({"truncation_side": "right"})"));
  EXPECT_TRUE(says(conflict, "truncation_side is right"));
  EXPECT_TRUE(says(conflict, "(truncation.direction) says left"));
  EXPECT_TRUE(
      says(message_of(with_file(right, "tokenizer_config.json", R"({"truncation_side": "middle"})")), "middle"));
  // The same files give other ids than in earlier versions, so that their caches do not fit.
  EXPECT_NE(make_tokenizer(json)->fingerprint(), make_tokenizer(json_right)->fingerprint());
}

/// The small tokenizer's id 1 is [UNK].
TEST(SentenceSettings, UnknownTokensAreCountedWithoutSpecialOnes) {
  const auto tokenizer = make_tokenizer(small_word_piece_files());
  EXPECT_EQ(tokenizer->count_unknown(Ids{2, 5, 1, 1, 3}).tokens, 3u);
  EXPECT_EQ(tokenizer->count_unknown(Ids{2, 5, 1, 1, 3}).unknown, 2u);
  EXPECT_EQ(tokenizer->count_unknown(Ids{2, 3}).tokens, 0u);
}

/// A warning is due where a sentence was longer than the limit of other programs.
TEST(SentenceSettings, LimitsThatSentencesExceedAreNamed) {
  const auto exceeded = [](const TokenizerFiles& files, const char* sentence, std::size_t max_tokens = 100) {
    const auto tokenizer = make_tokenizer(files);
    Ids ids;
    for (const char* each : {"a", sentence, "b"}) tokenizer->encode(each, max_tokens, ids);
    return exceeded_limits(*tokenizer, tokenizer->longest_sentence(), max_tokens);
  };
  const TokenizerFiles files = small_word_piece_files();
  const TokenizerFiles of_five = with_file(files, "sentence_bert_config.json", R"({"max_seq_length": 5})");
  EXPECT_TRUE(exceeded(of_five, "a b cat").empty());
  EXPECT_TRUE(exceeded(of_five, "a b cat ab", 5).empty()) << "cut there as well";
  const auto warnings = exceeded(of_five, "a b cat ab");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(says(warnings[0], "sentence_bert_config.json: max_seq_length is 5, where sentence-transformers cuts"));
  EXPECT_TRUE(says(warnings[0], "this program cuts them at 100 tokens"));
  const TokenizerFiles of_tokenizer = with_file(files, "tokenizer_config.json", R"({"model_max_length": 5})");
  EXPECT_TRUE(exceeded(of_tokenizer, "a b cat").empty());
  ASSERT_EQ(exceeded(of_tokenizer, "a b cat ab").size(), 1u);
  EXPECT_TRUE(says(exceeded(of_tokenizer, "a b cat ab")[0], "model_max_length is 5, where transformers cuts"));
  // sentence-transformers' own limit comes first.
  TokenizerFiles both = of_tokenizer;
  both.contents["sentence_bert_config.json"] = R"({"max_seq_length": 6})";
  EXPECT_TRUE(exceeded(both, "a b cat ab").empty());
  const TokenizerFiles none =
      with_file(files, "tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_TRUE(make_tokenizer(none)->limits().empty());
  const TokenizerFiles json{
      {}, {{"tokenizer.json", changed(small_word_piece_json(), "/truncation", R"({"max_length": 5})")}}};
  ASSERT_EQ(exceeded(json, "a b cat ab").size(), 1u);
  EXPECT_TRUE(says(exceeded(json, "a b cat ab")[0], "truncation: max_length is 5, where the tokenizers library cuts"));
  for (const char* wrong : {"0", "\"5\"", "-3"})
    EXPECT_TRUE(says(
        message_of(with_file(files, "sentence_bert_config.json", std::string("{\"max_seq_length\": ") + wrong + "}")),
        "must be a number of tokens"));
}

std::string warnings_of(const TokenizerFiles& files) {
  std::string all;
  for (const std::string& warning : make_tokenizer(files)->warnings()) all += warning + "\n";
  return all;
}

TEST(SentenceSettings, KeysThatAreNotAppliedAreNamed) {
  const TokenizerFiles files = small_word_piece_files();
  EXPECT_EQ(warnings_of(files), "");
  EXPECT_EQ(
      warnings_of(with_file(files, "tokenizer_config.json",
                            R"({"padding_side": "right", "pad_token": "[MASK]", "new_key": false, "stride": 3})")),
      "");
  const std::string warnings = warnings_of(
      with_file(files, "tokenizer_config.json", R"({"padding_side": "left", "new_key": true, "other_key": [3]})"));
  EXPECT_TRUE(says(warnings, "padding_side is \"left\", which is not applied"));
  EXPECT_TRUE(says(warnings, "not known are not applied: \"new_key\": true, \"other_key\": [3]"));
}

/// Besides a tokenizer.json other programs may read other files.
TEST(SentenceSettings, FilesThatContradictTokenizerJsonAreNamed) {
  TokenizerFiles files;
  files.contents["tokenizer.json"] = small_word_piece_json();
  const auto notes = [&](const char* name, const std::string& content) {
    return warnings_of(with_file(files, name, content));
  };
  const std::string vocabulary = small_word_piece_files().contents["vocab.txt"];
  EXPECT_EQ(notes("vocab.txt", vocabulary), "");
  EXPECT_TRUE(says(notes("vocab.txt", "[UNK]\n" + vocabulary.substr(6, 100)), "vocab.txt:2: token"));
  EXPECT_TRUE(
      says(notes("vocab.txt", vocabulary + "dog\n"), "token \"dog\" has the id 12, but in tokenizer.json there"));
  EXPECT_TRUE(says(notes("vocab.txt", vocabulary.substr(0, vocabulary.size() - 3)), "lacks the token \"ab\""));
  EXPECT_EQ(notes("tokenizer_config.json", R"({"cls_token": "[CLS]", "sep_token": {"content": "[SEP]"},
                                              "unk_token": "[UNK]", "tokenizer_class": "BertTokenizerFast"})"),
            "");
  EXPECT_TRUE(says(notes("tokenizer_config.json", R"({"cls_token": "[SEP]"})"), "cls_token is \"[SEP]\""));
  EXPECT_TRUE(says(notes("special_tokens_map.json", R"({"sep_token": "a"})"), "sep_token is \"a\""));
  EXPECT_TRUE(says(notes("special_tokens_map.json", R"({"unk_token": "a"})"), "unk_token is \"a\""));
  EXPECT_TRUE(says(notes("tokenizer_config.json", R"({"mask_token": "<mask>"})"), "mask_token is \"<mask>\""));
  EXPECT_TRUE(says(notes("tokenizer_config.json", R"({"tokenizer_class": "XLMRobertaTokenizer"})"), "tokenizer_class"));
  EXPECT_TRUE(says(notes("tokenizer_config.json", R"({"additional_special_tokens": ["<x>"]})"), "\"<x>\""));
  EXPECT_TRUE(says(notes("added_tokens.json", R"({"<x>": 12})"), "\"<x>\" is no added token"));
  EXPECT_TRUE(says(notes("added_tokens.json", R"({"[CLS]": 3})"), "has the id 3, which is 2 in tokenizer.json"));
  const auto decoder = [&](const char* id, const char* entry) {
    return notes("tokenizer_config.json", std::string(R"({"added_tokens_decoder": {")") + id + "\": " + entry + "}}");
  };
  EXPECT_EQ(decoder("2", R"({"content": "[CLS]", "special": true})"), "");
  EXPECT_TRUE(says(decoder("3", R"({"content": "[CLS]", "special": true})"), "has the id 3, which is 2"));
  EXPECT_TRUE(says(decoder("2", R"({"content": "[CLS]", "special": true, "rstrip": true})"), "has other flags"));
  EXPECT_TRUE(says(decoder("5", R"({"content": "a"})"), "\"a\" is no added token"));
  EXPECT_TRUE(says(
      warnings_of({{}, {{"tokenizer.json", changed(small_word_piece_json(), "/padding", R"({"direction": "Left"})")}}}),
      "padding.direction is \"Left\""));

  files.contents["tokenizer.json"] = small_byte_level_json();
  const TokenizerFiles own = small_byte_level_files();
  EXPECT_EQ(notes("vocab.json", own.contents.at("vocab.json")), "");
  EXPECT_EQ(notes("merges.txt", own.contents.at("merges.txt")), "");
  EXPECT_TRUE(says(notes("merges.txt", "\u0120 he\nh e\n"), "has other merges"));
  EXPECT_TRUE(says(notes("vocab.json", changed(own.contents.at("vocab.json"), "/he", "")), "lacks the token \"he\""));
}

}  // namespace
}  // namespace gausscse
