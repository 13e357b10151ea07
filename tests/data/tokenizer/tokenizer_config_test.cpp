#include "data/tokenizer/tokenizer_config.hpp"

#include "data/tokenizer/tokenizer.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

TEST(TokenizerConfig, ConfigDecidesCaseAccentsAndChinese) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] += "A\n\u00e1\n\u4e2d\n##\u4e2d\n";  // 12 to 15
  EXPECT_EQ(encode(files, "A \u00c1 a\u4e2d"), (Ids{2, 5, 5, 5, 14, 3}));
  files.contents["tokenizer_config.json"] = R"({"do_lower_case": false, "model_max_length": 512})";
  EXPECT_EQ(encode(files, "A \u00e1 \u00c1"), (Ids{2, 12, 13, 1, 3}));
  files.contents["tokenizer_config.json"] = R"({"strip_accents": false})";
  EXPECT_EQ(encode(files, "A \u00e1 \u00c1"), (Ids{2, 5, 13, 13, 3}));
  files.contents["tokenizer_config.json"] =
      R"({"tokenize_chinese_chars": false, "tokenizer_class": "BertTokenizerFast"})";
  EXPECT_EQ(encode(files, "a\u4e2d"), (Ids{2, 5, 15, 3}));
}

TEST(TokenizerConfig, SpecialTokensComeFromConfigThenMap) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["tokenizer_config.json"] = R"({"cls_token": "ab"})";
  files.contents["special_tokens_map.json"] =
      R"({"cls_token": "b", "sep_token": {"content": "cat", "lstrip": true, "special": true}, "unk_token": "##s"})";
  EXPECT_EQ(encode(files, "a zz  cata"), (Ids{11, 5, 8, 7, 5, 7}));
}

TEST(TokenizerConfig, TheClassTellsMpnetFromBert) {
  TokenizerFiles files = small_mpnet_files();
  // [CLS] is a word that is not known, as it represents nothing; the mask takes the blanks before it.
  EXPECT_EQ(encode(files, "As b </s><pad>  <mask>b [UNK] zz"), (Ids{0, 8, 10, 9, 2, 1, 11, 9, 5, 5, 2}));
  EXPECT_EQ(encode(files, "[CLS]"), (Ids{0, 5, 5, 5, 2}));
  files.contents["tokenizer_config.json"] = R"({"tokenizer_class": "MPNetTokenizerFast", "unk_token": "<unk>"})";
  EXPECT_EQ(encode(files, "zz a"), (Ids{0, 3, 8, 2}));
  files.contents["tokenizer_config.json"] = R"({"tokenizer_class": "BertTokenizer"})";
  EXPECT_EQ(encode(files, "a [SEP]"), (Ids{6, 8, 7, 7}));
}

/// No class is needed where the files name the tokens that begin and end a sentence.
TEST(TokenizerConfig, AVocabularyOfTwoFamiliesNeedsAClass) {
  TokenizerFiles files = small_mpnet_files();
  files.contents.erase("tokenizer_config.json");
  EXPECT_EQ(
      message_of(files),
      "tokenizer_config.json names no tokenizer_class, and the vocabulary has \"<s>\" and \"</s>\", which begin "
      "and end a sentence of MPNetTokenizer: add \"tokenizer_class\": \"MPNetTokenizer\" or \"BertTokenizer\", or "
      "give tokenizer.json as well");
  files.contents["special_tokens_map.json"] = R"({"cls_token": "<s>"})";
  EXPECT_NE(message_of(files), "accepted") << "[SEP] or </s>?";
  files.contents["special_tokens_map.json"] = R"({"cls_token": "<s>", "sep_token": "</s>"})";
  EXPECT_EQ(encode(files, "a"), (Ids{0, 8, 2}));
}

TEST(TokenizerConfig, MpnetNeedsItsFirstToken) {
  TokenizerFiles files = small_mpnet_files();
  files.contents["vocab.txt"].replace(0, 3, "x");
  EXPECT_EQ(message_of(files),
            "vocab.txt: the vocabulary has no token \"<s>\", which is the cls_token; give the model's own files");
}

/// As tokenizer_config.json has them since transformers 4.34: the vocabulary's own tokens, looked for in a text.
TEST(TokenizerConfig, AddedTokensThatTheVocabularyHasAreLookedFor) {
  TokenizerFiles files = small_mpnet_files();
  const auto config = [&](const std::string& decoder) {
    files.contents["tokenizer_config.json"] =
        R"({"tokenizer_class": "MPNetTokenizer", "mask_token": "<mask>", "added_tokens_decoder": )" + decoder + "}";
  };
  config(R"({"3": {"content": "<unk>", "special": true, "normalized": true}})");
  EXPECT_EQ(encode(files, "a<unk>b  <mask>"), (Ids{0, 8, 3, 9, 11, 2}));
  config(R"({"11": {"content": "<mask>", "lstrip": false, "rstrip": true, "special": true}})");
  EXPECT_EQ(encode(files, "a<unk>b <mask>  s"), (Ids{0, 8, 5, 5, 5, 9, 11, 5, 2}));
  config(R"({"4": {"content": "<unk>"}})");
  EXPECT_EQ(message_of(files),
            "tokenizer_config.json.added_tokens_decoder: token \"<unk>\" says id 4, but in vocab.txt it is 3; correct "
            "the one that is wrong");
  config(R"({"12": {"content": "<new>"}})");
  EXPECT_NE(message_of(files).find("need a tokenizer.json"), std::string::npos);
}

/// The tokens of added_tokens_decoder with their ids; the class decides about the role of each.
TEST(TokenizerConfig, RoleTokensHaveTheVocabularysIds) {
  const auto with = [](TokenizerFiles files, std::string_view decoder) {
    files.contents["tokenizer_config.json"] = concat(R"({"added_tokens_decoder": )", decoder, "}");
    return files;
  };
  const TokenizerFiles right = with(small_word_piece_files(),
                                    R"({"0": {"content": "[PAD]"}, "1": {"content": "[UNK]"},
                                        "2": {"content": "[CLS]"}, "3": {"content": "[SEP]"},
                                        "4": {"content": "[MASK]"}})");
  EXPECT_EQ(encode(right, "a [MASK]"), (Ids{2, 5, 4, 3}));
  const std::vector<std::string> tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    EXPECT_EQ(message_of(with(small_word_piece_files(), concat(R"({"9": {"content": ")", tokens[id], "\"}}"))),
              concat("tokenizer_config.json.added_tokens_decoder: token \"", tokens[id],
                     "\" says id 9, but in vocab.txt it is ", id, "; correct the one that is wrong"));
  }
  EXPECT_EQ(encode(with(small_byte_level_files(), R"({"262": {"content": "<mask>"}})"), "<mask>"), (Ids{0, 262, 2}));
  EXPECT_EQ(message_of(with(small_byte_level_files(), R"({"261": {"content": "<mask>"}})")),
            "tokenizer_config.json.added_tokens_decoder: token \"<mask>\" says id 261, but in vocab.json it is 262; "
            "correct the one that is wrong");
}

TEST(TokenizerConfig, RoleTokensThatTheVocabularyLacksCannotBeAdded) {
  TokenizerFiles files{{}, {{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n"}}};
  EXPECT_EQ(encode(files, "a [MASK]"), (Ids{1, 3, 0, 0, 0, 2})) << "no token, so it is text";
  files.contents["tokenizer_config.json"] = R"({"added_tokens_decoder": {"4": {"content": "[MASK]"}}})";
  EXPECT_EQ(message_of(files),
            "tokenizer_config.json.added_tokens_decoder.4 is an object, which is not understood: tokens added to those "
            "of the vocabulary need a tokenizer.json; give it as well");
}

/// In lower case, as normalized text is, they are no role tokens, also where their entry says so.
TEST(TokenizerConfig, RoleTokensAreLookedForAsTheyStand) {
  TokenizerFiles files = small_word_piece_files();
  for (const char* config : {R"({"mask_token": {"content": "[MASK]", "normalized": true}})",
                             R"({"added_tokens_decoder": {"4": {"content": "[MASK]", "normalized": true}}})"}) {
    files.contents["tokenizer_config.json"] = config;
    EXPECT_EQ(encode(files, "[MASK] [mask]"), (Ids{2, 4, 1, 1, 1, 3})) << config;
  }
  files.contents["special_tokens_map.json"] = R"({"sep_token": {"content": "b", "normalized": true}})";
  EXPECT_EQ(encode(files, "b B"), (Ids{2, 6, 6, 6})) << "the second is a word";
}

}  // namespace
}  // namespace gausscse
