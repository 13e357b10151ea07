#include "data/tokenizer/tokenizer.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids ids_of(const Tokenizer& tokenizer, std::string_view sentence, std::size_t max_tokens = 100) {
  Ids ids;
  tokenizer.encode(sentence, max_tokens, ids);
  return ids;
}

TEST(TokenizerFiles, VocabTxtAloneIsUncasedBert) {
  const auto tokenizer = make_tokenizer(small_word_piece_files());
  EXPECT_EQ(ids_of(*tokenizer, "A CATS, \u00e1bb dog [SEP] [MASK]x[sep]"),
            (Ids{2, 5, 7, 8, 10, 11, 9, 1, 3, 4, 1, 1, 1, 1, 3}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 12u);
  EXPECT_TRUE(tokenizer->files().empty());
}

TEST(TokenizerFiles, VocabJsonAndMergesAreRoberta) {
  const auto tokenizer = make_tokenizer(small_byte_level_files());
  EXPECT_EQ(ids_of(*tokenizer, "he he<s> <mask>h\xff"),
            (Ids{0, 260, 261, 0, 262, 4 + 'h', 4 + 0xEF, 4 + 0xBF, 4 + 0xBD, 2}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 263u);
  TokenizerFiles files = small_byte_level_files();
  files.contents["tokenizer_config.json"] = R"({"add_prefix_space": true, "tokenizer_class": "RobertaTokenizer"})";
  EXPECT_EQ(encode(files, "he he"), (Ids{0, 261, 261, 2}));
  EXPECT_EQ(encode(files, ""), (Ids{0, 2}));
}

TEST(TokenizerFiles, TokensAreTheStringsOfIds) {
  const std::vector<std::string> word_piece{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a",
                                            "b",     "cat",   "##s",   "##b",   ",",      "ab"};
  EXPECT_EQ(make_tokenizer(small_word_piece_files())->tokens(), word_piece);
  TokenizerFiles files;
  files.contents["tokenizer.json"] = small_word_piece_json();
  EXPECT_EQ(make_tokenizer(files)->tokens(), word_piece);
  // The byte-level alphabet has its own letters for blank and the bytes over 126.
  const std::vector<std::string> byte_level = make_tokenizer(small_byte_level_files())->tokens();
  ASSERT_EQ(byte_level.size(), 263u);
  EXPECT_EQ(byte_level[0], "<s>");
  EXPECT_EQ(byte_level[4 + 'h'], "h");
  EXPECT_EQ(byte_level[4 + ' '], "\u0120");
  EXPECT_EQ(byte_level[261], "\u0120he");
  EXPECT_EQ(byte_level[262], "<mask>");
}

/// An added token is there as it was written, not as it is looked for; ids without a token have none.
TEST(TokenizerFiles, TokensHaveAddedOnesAndGaps) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] += "\n\ndog\n";  // 12 and 13 are empty lines
  const std::vector<std::string> with_gaps = make_tokenizer(files)->tokens();
  ASSERT_EQ(with_gaps.size(), 15u);
  EXPECT_EQ(with_gaps[12], "");
  EXPECT_EQ(with_gaps[14], "dog");
  TokenizerFiles added;
  added.contents["tokenizer.json"] =
      changed(small_word_piece_json(), "/added_tokens/-",
              R"({"id": 12, "content": "New York", "single_word": false, "lstrip": false, "rstrip": false,
                  "normalized": true, "special": false})");
  const auto tokenizer = make_tokenizer(added);
  ASSERT_EQ(tokenizer->tokens().size(), 13u);
  EXPECT_EQ(tokenizer->tokens()[12], "New York");
  EXPECT_EQ(ids_of(*tokenizer, "new york"), (Ids{2, 12, 3}));
}

TEST(TokenizerFiles, ConfigThatContradictsTokenizerJsonIsRefused) {
  TokenizerFiles files;
  files.contents["tokenizer.json"] = small_word_piece_json();
  const auto with = [&](const std::string& config) {
    files.contents["tokenizer_config.json"] = config;
    return message_of(files);
  };
  EXPECT_EQ(with(R"({"do_lower_case": true, "strip_accents": null, "tokenize_chinese_chars": true})"), "accepted");
  EXPECT_EQ(with(R"({"strip_accents": true, "add_prefix_space": true})"), "accepted");
  EXPECT_EQ(
      with(R"({"do_lower_case": false})"),
      "tokenizer_config.json: do_lower_case is false, but tokenizer.json (normalizer.lowercase) says true, so the "
      "same sentence has other ids in one program than in another; make the two agree, as the model was trained");
  EXPECT_NE(with(R"({"strip_accents": false})").find("normalizer.strip_accents"), std::string::npos);
  EXPECT_NE(with(R"({"tokenize_chinese_chars": false})").find("handle_chinese_chars"), std::string::npos);
  EXPECT_NE(with(R"({"do_lower_case": "yes"})").find("do_lower_case"), std::string::npos);
  files.contents["tokenizer.json"] = small_byte_level_json();
  EXPECT_EQ(with(R"({"add_prefix_space": false, "do_lower_case": false})"), "accepted");
  EXPECT_NE(with(R"({"add_prefix_space": true})").find("pre_tokenizer.add_prefix_space"), std::string::npos);
}

TEST(TokenizerFiles, TokenizerJsonDecidesWhereItIsThere) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] = "other\n";
  files.contents["tokenizer.json"] = small_word_piece_json();
  EXPECT_EQ(encode(files, "CAT\u00a0[SEP] a"), (Ids{2, 7, 3, 5, 3}));
  EXPECT_EQ(encode({{}, {{"tokenizer.json", small_byte_level_json()}}}, "he he \t<mask>"), (Ids{0, 260, 261, 262, 2}));
}

TEST(TokenizerFiles, LinesMayEndAsOnWindowsOrNotAtAll) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] = "[UNK]\r\n[CLS]\r\n[SEP]\r\n\r\na \r\nb";  // the empty line takes an id
  const auto tokenizer = make_tokenizer(files);
  EXPECT_EQ(ids_of(*tokenizer, "b a"), (Ids{1, 5, 4, 2}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 6u);
}

TEST(TokenizerFiles, CutsToMaxTokensAndKeepsSpecialTokens) {
  const auto tokenizer = make_tokenizer(small_word_piece_files());
  Ids ids;
  EXPECT_FALSE(tokenizer->encode("a b a", 5, ids));
  EXPECT_EQ(ids, (Ids{2, 5, 6, 5, 3}));
  ids.clear();
  EXPECT_TRUE(tokenizer->encode("a b a", 4, ids));
  EXPECT_EQ(ids, (Ids{2, 5, 6, 3}));
  ids.clear();
  EXPECT_TRUE(tokenizer->encode("abb a", 3, ids));  // cut within a word
  EXPECT_EQ(ids, (Ids{2, 11, 3}));
  ids.clear();
  EXPECT_FALSE(tokenizer->encode("a b", static_cast<std::size_t>(-1), ids));
  EXPECT_EQ(ids, (Ids{2, 5, 6, 3}));
  for (const std::size_t max_tokens : {0, 1, 2}) EXPECT_THROW(tokenizer->encode("a", max_tokens, ids), InputError);
  EXPECT_EQ(ids.size(), 4u);
}

TEST(TokenizerFiles, FingerprintFollowsEveryFile) {
  const std::string original = make_tokenizer(small_word_piece_files())->fingerprint();
  EXPECT_EQ(original.size(), 32u);
  EXPECT_EQ(original.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(make_tokenizer(small_word_piece_files())->fingerprint(), original);
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.txt"] += "new\n";
  EXPECT_NE(make_tokenizer(files)->fingerprint(), original);
  files = small_word_piece_files();
  files.contents["tokenizer_config.json"] = "{}";
  EXPECT_NE(make_tokenizer(files)->fingerprint(), original);
}

TEST(TokenizerFolder, IsReadFromDisk) {
  const TemporaryFolder folder;
  write_bytes(folder / "vocab.txt", *small_word_piece_files().find("vocab.txt"));
  write_bytes(folder / "tokenizer_config.json", "{}");
  write_bytes(folder / "config.json", "not the tokenizer's");
  const auto tokenizer = open_tokenizer(folder.path());
  EXPECT_EQ(ids_of(*tokenizer, "cats"), (Ids{2, 7, 8, 3}));
  EXPECT_EQ(tokenizer->files(),
            (std::vector<std::filesystem::path>{folder / "tokenizer_config.json", folder / "vocab.txt"}));
}

std::string open_error(const std::filesystem::path& folder) {
  try {
    open_tokenizer(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TokenizerFolder, IsReadWithAllItsFiles) {
  const TemporaryFolder word_pieces, bytes;
  write_bytes(word_pieces / "vocab.txt", *small_word_piece_files().find("vocab.txt"));
  write_bytes(word_pieces / "special_tokens_map.json", R"({"cls_token": "b"})");
  EXPECT_EQ(ids_of(*open_tokenizer(word_pieces.path()), "cats"), (Ids{6, 7, 8, 3}));
  for (const char* name : {"vocab.json", "merges.txt"}) write_bytes(bytes / name, *small_byte_level_files().find(name));
  EXPECT_EQ(ids_of(*open_tokenizer(bytes.path()), "he he"), (Ids{0, 260, 261, 2}));
  for (const auto& folder : {word_pieces.path(), bytes.path()}) {
    write_bytes(folder / "added_tokens.json", "{}");
    EXPECT_EQ(open_error(folder),
              (folder / "added_tokens.json").string() +
                  ": tokens added to those of the vocabulary need a tokenizer.json; give it as well");
    write_bytes(folder / "tokenizer.json", small_word_piece_json());
    const auto tokenizer = open_tokenizer(folder);
    EXPECT_EQ(ids_of(*tokenizer, "cats"), (Ids{2, 7, 8, 3})) << "tokenizer.json decides";
    EXPECT_EQ(tokenizer->files().size(), 4u);
  }
}

TEST(TokenizerFolder, ThatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  EXPECT_NE(open_error(folder / "missing").find("missing: no such folder"), std::string::npos);
  write_bytes(folder / "file", "");
  EXPECT_NE(open_error(folder / "file").find("file is a file where a model folder is needed"), std::string::npos);
  EXPECT_NE(open_error(folder.path()).find(folder.path().string() + " has no tokenizer.json"), std::string::npos);
  write_bytes(folder / "vocab.json", "{}");
  EXPECT_NE(open_error(folder.path()).find((folder / "merges.txt").string() + ": no such file"), std::string::npos);
  std::filesystem::create_directory(folder / "merges.txt");
  EXPECT_NE(open_error(folder.path()).find((folder / "merges.txt").string()), std::string::npos);
  std::filesystem::remove(folder / "merges.txt");
  std::filesystem::create_symlink("nowhere", folder / "merges.txt");
  EXPECT_NE(open_error(folder.path()).find((folder / "merges.txt").string()), std::string::npos);
}

TEST(TokenizerFolder, OfSentencePieceAloneIsToldHowToConvertIt) {
  const TemporaryFolder parent;
  const std::filesystem::path folder = parent / "my model";
  std::filesystem::create_directory(folder);
  write_bytes(folder / "sentencepiece.bpe.model", "\x0a");
  const std::string error = open_error(folder);
  EXPECT_TRUE(
      error.starts_with((folder / "sentencepiece.bpe.model").string() + ": this file of SentencePiece is not read"));
  EXPECT_TRUE(
      error.ends_with("python3 -c 'import sys; from transformers import AutoTokenizer; "
                      "AutoTokenizer.from_pretrained(sys.argv[1]).save_pretrained(sys.argv[1])' '" +
                      folder.string() + "'"));
  write_bytes(folder / "tokenizer.json", small_unigram_json());
  EXPECT_EQ(ids_of(*open_tokenizer(folder), "a ab"), (Ids{0, 5, 5, 7, 2})) << "tokenizer.json is enough";
}

TEST(TokenizerFolder, WithFilesOfTwoTokenizersIsRefused) {
  TokenizerFiles files = small_word_piece_files();
  files.contents["vocab.json"] = "{}";
  EXPECT_NE(message_of(files).find("only one of two tokenizers could be meant"), std::string::npos);
  files = small_word_piece_files();
  files.contents["added_tokens.json"] = "{}";
  EXPECT_NE(message_of(files).find("need a tokenizer.json"), std::string::npos);
}

}  // namespace
}  // namespace gausscse
