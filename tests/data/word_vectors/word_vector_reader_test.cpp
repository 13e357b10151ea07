#include "data/word_vectors/word_vector_reader.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::pair<std::string, std::vector<float>>>;

Lines read(std::string_view text) {
  MemorySource source(text);
  WordVectorReader reader(source, "v.txt");
  Lines lines;
  std::string_view word;
  for (std::span<const float> vector; reader.next(word, vector);)
    lines.emplace_back(word, std::vector<float>(vector.begin(), vector.end()));
  return lines;
}

std::string refused(std::string_view text) {
  return refusal_of([&] { read(text); });
}

const Lines two{{"cat", {0.5f, -1.25f}}, {"Dog", {3.0f, 1e-3f}}};

TEST(WordVectorReader, ReadsWordsAndTheirValues) {
  EXPECT_EQ(read("cat 0.5 -1.25\nDog 3 1e-3\n"), two);
  EXPECT_EQ(read("cat 0.5 -1.25\nDog 3 1e-3"), two);         // no newline at the end
  EXPECT_EQ(read("cat 0.5 -1.25\r\nDog 3 1e-3\r\n"), two);   // lines as Windows ends them
  EXPECT_EQ(read("cat 0.5 -1.25 \nDog 3 1e-3 \n"), two);     // word2vec's and fastText's blank at the end
  EXPECT_EQ(read("cat\t0.5\t-1.25\nDog  +3 1E-03\n"), two);  // other blanks
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "cat 0.5 -1.25\nDog 3 1e-3\n"),
            two);  // a byte order mark
  EXPECT_EQ(read("7 0.5 -1.25\n"), (Lines{{"7", {0.5f, -1.25f}}}));
}

TEST(WordVectorReader, AFirstLineOfTwoWholeNumbersIsAHeader) {
  EXPECT_EQ(read("2 2\ncat 0.5 -1.25\nDog 3 1e-3\n"), two);
  EXPECT_EQ(read("2 2\r\ncat 0.5 -1.25 \r\nDog 3 1e-3 "), two);
  EXPECT_EQ(read("1 1\n5 0.5\n"), (Lines{{"5", {0.5f}}}));
  // The line of a word with one value, which is not whole.
  EXPECT_EQ(read("5 3.0\n6 1\n"), (Lines{{"5", {3.0f}}, {"6", {1.0f}}}));
}

/// As glove.840B has them.
TEST(WordVectorReader, AWordMayHaveBlanksInside) {
  EXPECT_EQ(read("a 1 2\n. . . 3 4\nat name@domain.com 5 6\n"),
            (Lines{{"a", {1.0f, 2.0f}}, {". . .", {3.0f, 4.0f}}, {"at name@domain.com", {5.0f, 6.0f}}}));
  EXPECT_EQ(read("2 2\n. . 3 4\nb 1 2\n"), (Lines{{". .", {3.0f, 4.0f}}, {"b", {1.0f, 2.0f}}}));
  EXPECT_EQ(read("a 1 2\n\xC2\xA0 3 4\n"), (Lines{{"a", {1.0f, 2.0f}}, {"\xC2\xA0", {3.0f, 4.0f}}}));
  EXPECT_TRUE(says(refused(". . 3 4\n"), "the word of the first line must have no blank inside"));
}

TEST(WordVectorReader, ValuesAreTheNearestOfFloat32) {
  const Lines lines = read("w 0.1 16777217 -1e-50 1e-40 3.4028234e38\n");
  EXPECT_EQ(lines.at(0).second,
            (std::vector<float>{0.1f, 16777216.0f, -0.0f, 1e-40f, std::numeric_limits<float>::max()}));
}

TEST(WordVectorReader, LinesOfAnotherWidthAreRefused) {
  EXPECT_TRUE(says(refused("a 1 2\nb 1 2\nc 1\n"), "v.txt:3: the line has 1 values, but 2 are in the first line"));
  EXPECT_TRUE(says(refused("a 1 2\nb 1 2 3\n"), "v.txt:2: the line has 3 values, but 2 are in the first line"));
  EXPECT_TRUE(
      says(refused("2 2\na 1 2\nb 1 2 3\n"), "v.txt:3: the line has 3 values, but 2 are given in the first line"));
  EXPECT_TRUE(says(refused("a 1 2\n\nb 1 2\n"), "v.txt:2: the line has 0 values"));
  EXPECT_TRUE(says(refused("a 1 2\nb\n"), "v.txt:2: the line has 0 values"));
  EXPECT_TRUE(says(refused("a 1 2\n3 4\n"), "v.txt:2: the line has 1 values"));  // a number for a word
}

TEST(WordVectorReader, ValuesThatAreNoNumbersAreRefused) {
  EXPECT_TRUE(says(refused("a 1 2\nb 1 x\n"), "v.txt:2: value 2, \"x\", is not a number"));
  EXPECT_TRUE(says(refused("a 1 2\nb 1,5 2\n"), "v.txt:2: value 1, \"1,5\", is not a number"));
  for (const char* value : {"++1", "+-1", "-+1", "--1", "+", "-", "+-inf"})
    EXPECT_EQ(refused(concat("a 1 2\nb ", value, " 2\n")),
              concat("v.txt:2: value 1, \"", value, "\", is not a number: mend the line"));
  EXPECT_EQ(refused("a 1 +-2\n"),
            "v.txt:1: value 2, \"+-2\", is not a number: mend the line (the word of the first line must have no blank "
            "inside)");
  EXPECT_TRUE(says(refused("a 1 2x\n"), "v.txt:1: value 2, \"2x\", is not a number"));
  for (const char* value : {"nan", "inf", "-inf", "1e39", "-1e400"})
    EXPECT_TRUE(says(refused(concat("a 1 2\nb ", value, " 2\n")),
                     concat("v.txt:2: value 1, \"", value, "\", is not a finite")));
}

TEST(WordVectorReader, VectorsMayHaveAMillionValues) {
  std::string widest = "w";
  for (int i = 0; i < 1 << 20; ++i) widest += " 1";
  EXPECT_EQ(read(widest).at(0).second, std::vector<float>(1 << 20, 1.0f));
  EXPECT_EQ(refused(widest + " 1"), "v.txt:1: the line has 1048577 values: at most 1048576 are read");
  EXPECT_EQ(refused("1 1048577\n"),
            "v.txt:1: the first line says that vectors have 1048577 values: give a file with 1 to 1048576");
  EXPECT_EQ(read("1 1048576\n" + widest).at(0).second.size(), std::size_t{1} << 20);
}

TEST(WordVectorReader, HeadersThatAreNotTrueAreRefused) {
  EXPECT_TRUE(says(refused("3 2\na 1 2\nb 1 2\n"), "the first line gives 3 words, but the file has 2"));
  EXPECT_TRUE(says(refused("1 2\na 1 2\nb 1 2\n"), "the first line gives 1 words, but the file has 2"));
  EXPECT_TRUE(says(refused("2 0\na\nb\n"), "v.txt:1: the first line says that vectors have 0 values"));
  EXPECT_TRUE(says(refused("2 99999999999\n"), "vectors have 99999999999 values"));
  EXPECT_TRUE(says(refused("0 2\n"), "v.txt: the file has no word"));
}

TEST(WordVectorReader, WhatIsNoFileOfVectorsIsRefused) {
  EXPECT_TRUE(says(refused(""), "v.txt: the file is empty"));
  EXPECT_TRUE(says(refused("word\n"), "v.txt:1: the line \"word\" has no values"));
  EXPECT_TRUE(says(refused("\n"), "v.txt:1: the line \"\" has no values"));
  EXPECT_TRUE(says(refused("a 1\n\xFF"
                           "b 2\n"),
                   "v.txt:2: the word"));
  EXPECT_TRUE(says(refused("a 1\n\xFF"
                           "b 2\n"),
                   "is not valid UTF-8"));
}

}  // namespace
}  // namespace gausscse
