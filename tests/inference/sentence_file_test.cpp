#include "inference/sentence_file.hpp"

#include "base/content_hash.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class SentenceFiles : public testing::Test {
 protected:
  fs::path file(const std::string& content) {
    write_bytes(folder_ / "in.txt", content);
    return folder_ / "in.txt";
  }

  TemporaryFolder folder_;
};

Texts all_of(SentenceFile& file) {
  Texts all, block;
  while (file.next_block(block)) all.insert(all.end(), block.begin(), block.end());
  return all;
}

TEST_F(SentenceFiles, GiveEveryLineAsItStands) {
  SentenceFile sentences(file("\xEF\xBB\xBF"
                              "a b\r\n\n  c \nd\te"),
                         {});
  EXPECT_EQ(sentences.lines(), 4u);
  EXPECT_EQ(all_of(sentences), (Texts{"a b", "", "  c ", "d\te"}));
  EXPECT_EQ(sentences.lines_given(), 4u);
  EXPECT_EQ(sentences.content_hash(), content_hash(folder_ / "in.txt"));
}

TEST_F(SentenceFiles, SplitColumnsAtTabs) {
  SentenceFile pairs(file("a\tb c\n\td\ne\t\n"), {.sentences_of_line = 2});
  EXPECT_EQ(pairs.lines(), 3u);
  EXPECT_EQ(all_of(pairs), (Texts{"a", "b c", "", "d", "e", ""}));
}

TEST_F(SentenceFiles, TrimIfAskedTo) {
  SentenceFile pairs(file(" a \tb\u00a0\n\t  \n"), {.sentences_of_line = 2, .trim = true});
  EXPECT_EQ(all_of(pairs), (Texts{"a", "b", "", ""}));
}

TEST_F(SentenceFiles, BlocksEndAfterAFixedNumberOfLines) {
  constexpr std::size_t lines = SentenceFile::lines_of_block;
  std::string text;
  for (std::size_t i = 0; i < 2 * lines; ++i) text += std::to_string(i) + "\n";
  SentenceFile sentences(file(text), {});
  Texts block;
  for (const std::size_t first : {std::size_t{0}, lines}) {
    ASSERT_TRUE(sentences.next_block(block));
    ASSERT_EQ(block.size(), lines);
    EXPECT_EQ(block.front(), std::to_string(first));
    EXPECT_EQ(block.back(), std::to_string(first + lines - 1));
    EXPECT_EQ(sentences.lines_given(), first + lines);
  }
  EXPECT_FALSE(sentences.next_block(block));
  EXPECT_TRUE(block.empty());
}

TEST_F(SentenceFiles, BlocksEndAfterAFixedNumberOfBytes) {
  const std::string line(SentenceFile::bytes_of_block / 4, 'x');
  SentenceFile sentences(file(line + "\n" + line + "\n" + line + "\n" + line + "\n" + line + "\n"), {});
  Texts block;
  ASSERT_TRUE(sentences.next_block(block));
  EXPECT_EQ(block.size(), 4u);
  ASSERT_TRUE(sentences.next_block(block));
  EXPECT_EQ(block.size(), 1u);
  EXPECT_FALSE(sentences.next_block(block));
}

TEST_F(SentenceFiles, BadLinesAreFoundBeforeAnythingIsGiven) {
  const fs::path path = file("a\tb\nc\nd\te\tf\ng\th \xff\ni\tj\n");
  const std::string refusal = refusal_of([&] { SentenceFile(path, {.sentences_of_line = 2}); });
  EXPECT_TRUE(says(refusal, "in.txt:2"));
  EXPECT_TRUE(says(refusal, "\"c\" has no tab"));
  SentenceFile pairs(path, {.sentences_of_line = 2, .bad_lines = BadLines::skip});
  EXPECT_EQ(pairs.lines(), 2u);
  EXPECT_EQ(pairs.report().bad_lines, 3u);
  ASSERT_EQ(pairs.report().causes.size(), 3u);
  EXPECT_TRUE(says(pairs.report().causes[1].examples.front(), "in.txt:3"));
  EXPECT_TRUE(says(pairs.report().causes[1].examples.front(), "2 tabs"));
  EXPECT_TRUE(says(pairs.report().causes[2].examples.front(), "in.txt:4"));
  EXPECT_EQ(all_of(pairs), (Texts{"a", "b", "i", "j"}));
}

TEST_F(SentenceFiles, FilesWithoutAGoodLineAreRefused) {
  EXPECT_TRUE(says(refusal_of([&] { SentenceFile(file(""), {}); }), "the file is empty"));
  EXPECT_TRUE(
      says(refusal_of([&] { SentenceFile(file("a\nb\n"), {.sentences_of_line = 2, .bad_lines = BadLines::skip}); }),
           "all of its 2 lines are bad"));
  EXPECT_TRUE(says(refusal_of([&] { SentenceFile(folder_ / "none", {}); }), "none"));
}

/// A reader of named columns takes it for lines of JSON; as sentences they would be embedded without a word.
TEST_F(SentenceFiles, AParquetTableIsRefused) {
  write_bytes(folder_ / "t.parquet", "PAR1\x15 and so on PAR1");
  EXPECT_TRUE(says(refusal_of([&] { SentenceFile(folder_ / "t.parquet", {}); }),
                   "t.parquet: this is a Parquet table: give a text file, a sentence a line"));
}

TEST_F(SentenceFiles, AFileThatChangesIsRefused) {
  for (const std::string later : {"a\nb\nc\n", "a\n", "a\nx\n"}) {
    const fs::path path = file("a\nb\n");
    SentenceFile sentences(path, {});
    // Written in place, as the file is open already.
    write_bytes(path, later);
    Texts block;
    EXPECT_TRUE(says(refusal_of([&] {
                       while (sentences.next_block(block)) continue;
                     }),
                     "the file changed while it was read"));
  }
}

/// No row is given without a report.
TEST_F(SentenceFiles, AFileThatGrowsByABlockIsRefusedAtOnce) {
  const fs::path path = file("a\nb\n");
  SentenceFile sentences(path, {});
  std::string longer;
  for (std::size_t i = 0; i <= SentenceFile::lines_of_block; ++i) longer += "a\n";
  write_bytes(path, longer);
  Texts block;
  EXPECT_TRUE(says(refusal_of([&] { sentences.next_block(block); }), "the file changed while it was read"));
}

TEST_F(SentenceFiles, ALabelledFileHasItsLabelsAndLengthsByBlocks) {
  SentenceFile pairs(file("\u00e4b\tc\tentailment\n\tx\t-\nd\te\tnot_entailment\nf\tg\t1\n"),
                     {.sentences_of_line = 2, .labelled = true});
  Texts block;
  ASSERT_TRUE(pairs.next_block(block));
  EXPECT_EQ(block, (Texts{"\u00e4b", "c", "", "x", "d", "e", "f", "g"}));
  EXPECT_EQ(pairs.characters(), (std::vector<std::size_t>{2, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(pairs.labels(),
            (std::vector<NliLabel>{NliLabel::entailment, NliLabel::none, NliLabel::not_entailment, NliLabel::neutral}));
  const SentenceFileSettings labelled{.sentences_of_line = 2, .labelled = true};
  std::string many;
  for (std::size_t i = 0; i < SentenceFile::lines_of_block; ++i) many += "aa\tb\tentailment\n";
  SentenceFile two_blocks(file(many + "c\tdd\t-\n"), labelled);
  ASSERT_TRUE(two_blocks.next_block(block) && two_blocks.next_block(block));
  EXPECT_EQ(two_blocks.characters(), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(two_blocks.labels(), std::vector<NliLabel>{NliLabel::none});
  EXPECT_TRUE(says(refusal_of([&] { SentenceFile(file("a\tb\n"), labelled); }),
                   "has 1 tabs, so it is not 2 sentences and a label"));
  EXPECT_TRUE(says(refusal_of([&] { SentenceFile(file("a\tb\tc\n"), labelled); }), "the label \"c\" is unknown"));
  const std::string unlabelled = refusal_of([&] { SentenceFile(file("a\tb\t\n"), labelled); });
  EXPECT_TRUE(says(unlabelled, "the label \"\" is unknown"));
  EXPECT_FALSE(says(unlabelled, "--labels")) << "which of score has no values";
}

}  // namespace
}  // namespace gausscse
