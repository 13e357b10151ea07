#include "data/corpus/text_readers.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"

namespace gausscse {
namespace {

/// Gives at most `piece` bytes at a time.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string_view bytes, std::size_t piece) : whole_(bytes), piece_(piece) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    return whole_.read(buffer, std::min(capacity, piece_));
  }

 private:
  MemorySource whole_;
  std::size_t piece_;
};

std::vector<std::string> lines_of(std::string_view text, std::size_t piece) {
  PieceSource source(text, piece);
  LineReader reader(source, "t");
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  return lines;
}

TEST(LineReader, SplitsWhereverThePiecesEnd) {
  const std::string text =
      "\xEF\xBB\xBF"
      "first\r\n\n\r\nlong line \r inside\nlast";
  const std::vector<std::string> expected{"first", "", "", "long line \r inside", "last"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(lines_of(text, piece), expected) << piece;
  EXPECT_EQ(lines_of(text + "\n", 7), expected);
  EXPECT_TRUE(lines_of("", 1).empty());
}

TEST(LineReader, LeavesOutOneByteOrderMarkAtTheBeginning) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(lines_of(mark + mark + "a\n" + mark + "b\nc" + mark + "\n" + mark, 5),
            (std::vector<std::string>{mark + "a", mark + "b", "c" + mark, mark}));
  EXPECT_EQ(lines_of("\n" + mark + "a", 5), (std::vector<std::string>{"", mark + "a"}));
}

TEST(LineReader, LeavesOutBlankLinesButCountsThem) {
  MemorySource source("\n \t\r\na\n\n\xC2\xA0\n   ");
  LineReader reader(source, "t");
  std::string_view line;
  ASSERT_TRUE(reader.next_not_blank(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(reader.line_number(), 3u);
  ASSERT_TRUE(reader.next_not_blank(line));
  EXPECT_EQ(reader.line_number(), 5u);
  EXPECT_FALSE(reader.next_not_blank(line));
}

TEST(LineReader, ReadsLinesOverManyBuffersAndRefusesEndlessOnes) {
  const std::string longest(max_line_bytes, 'x');
  EXPECT_EQ(lines_of("a\n" + longest + "\nb", std::size_t{1} << 16), (std::vector<std::string>{"a", longest, "b"}));
  EXPECT_HAS(input_error([&] { lines_of("a\n" + longest + "xx", std::size_t{1} << 16); }),
             "t:2: the line is longer than");
}

}  // namespace
}  // namespace gausscse
