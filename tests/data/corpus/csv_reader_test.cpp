#include "data/corpus/text_readers.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/data/corpus/one_byte_source.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Rows = std::vector<std::vector<std::string>>;

template <typename Source>
Rows rows_of(std::string_view text) {
  Source source(text);
  CsvReader reader(source, "t.csv");
  Rows rows;
  for (std::vector<std::string_view> fields; reader.next(fields);) rows.emplace_back(fields.begin(), fields.end());
  return rows;
}

TEST(CsvReader, TextBehindAClosingQuoteIsRefusedWithItsPlace) {
  EXPECT_EQ(input_error([] { rows_of<OneByteSource>("a,b\r\n\"x\ny\",\"A \\\"man\\\"\",c\n"); }),
            "t.csv:3: column 9: \"m\" follows the quote (\") that ends a field, where a comma or the line end must "
            "follow: write each quote that belongs to the text twice (\"\"), not behind a backslash");
  EXPECT_HAS(input_error([] { rows_of<MemorySource>("\"a\" ,b"); }), "t.csv:1: column 4: \" \" follows");
  EXPECT_HAS(input_error([] { rows_of<MemorySource>("a\rb,\"c\"\t\n"); }), "t.csv:2: column 6: \"\\t\" follows");
  EXPECT_EQ(rows_of<MemorySource>("\"a\",\"b\"\r\"c\"\n\"d\""), (Rows{{"a", "b"}, {"c"}, {"d"}}));
}

TEST(CsvReader, LinesOfBlanksHaveNoField) {
  for (const char* blank : {"", " ", "\t", " \t  "}) {
    EXPECT_EQ(rows_of<OneByteSource>(concat("a,b\n", blank, "\r\n", "c,d\n", blank)).size(), *blank ? 4u : 3u);
    EXPECT_EQ(rows_of<MemorySource>(concat("a,b\n", blank, "\nc,d\n")), (Rows{{"a", "b"}, {}, {"c", "d"}}));
  }
  // What is in quotes, or behind a comma, is a field.
  EXPECT_EQ(rows_of<MemorySource>("\" \"\n ,\n"), (Rows{{" "}, {" ", ""}}));
}

TEST(CsvReader, NumbersLinesOfRecordsAndOpenQuotes) {
  MemorySource source("a,b\r\n\"x\ny\r\nz\",c\n\nd\re\n\"f\n\",\"open");
  CsvReader reader(source, "t.csv");
  std::vector<std::string_view> fields;
  std::vector<std::size_t> lines;
  const std::string message = input_error([&] {
    while (reader.next(fields)) lines.push_back(reader.line_number());
  });
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2, 5, 6, 7}));
  EXPECT_HAS(message, "t.csv:9: ");
}

TEST(CsvReader, CountsEachKindOfLineEndWithinQuotesOnce) {
  const std::string text = "a\n\"x\ry\r\rz\",b\r\"x\r\ny\"\r\nc\n\"\r\n\r\"\nd";
  const auto lines_of_records = [](auto source) {
    CsvReader reader(source, "t.csv");
    std::vector<std::size_t> lines;
    for (std::vector<std::string_view> fields; reader.next(fields);) lines.push_back(reader.line_number());
    return lines;
  };
  const std::vector<std::size_t> expected{1, 2, 6, 8, 9, 12};
  EXPECT_EQ(lines_of_records(MemorySource(text)), expected);
  EXPECT_EQ(lines_of_records(OneByteSource(text)), expected);
}

TEST(CsvReader, AByteOrderMarkOfALaterRecordIsData) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(rows_of<MemorySource>("a\n" + mark + "b,c\n" + mark), (Rows{{"a"}, {mark + "b", "c"}, {mark}}));
}

TEST(CsvReader, LeavesOutOneByteOrderMark) {
  EXPECT_EQ(rows_of<MemorySource>("\xEF\xBB\xBF\"a\",b\n"), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows_of<OneByteSource>("\xEF\xBB\xBF\xEF\xBB\xBF"
                                   "a"),
            (Rows{{"\xEF\xBB\xBF"
                   "a"}}));
  EXPECT_EQ(rows_of<MemorySource>("\xEF\xBB"), (Rows{{"\xEF\xBB"}}));
  EXPECT_TRUE(rows_of<MemorySource>("\xEF\xBB\xBF").empty());
}

/// Gives pieces of changing sizes.
class PiecesSource final : public ByteSource {
 public:
  PiecesSource(std::string_view bytes, std::size_t step) : whole_(bytes), step_(step) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    piece_ = (piece_ + step_) % 70001;
    return whole_.read(buffer, std::min(capacity, 1 + piece_));
  }

 private:
  MemorySource whole_;
  std::size_t step_;
  std::size_t piece_ = 0;
};

/// Quotes, line ends and characters of several bytes come to lie at the ends of pieces and of the buffer.
TEST(CsvReader, ReadsTheSameFromPiecesOfAnySize) {
  const char* parts[] = {"a", "\"", ",", "\r\n", "\n", "\r", "\u00E9", "\U0001F600", " ", "\"\"", "longer words, here"};
  const char* line_ends[] = {"\n", "\r\n", "\r"};
  std::string text;
  Rows expected;
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  for (std::size_t i = 0; text.size() < 1000000; ++i) {
    lines.push_back(line++);
    std::vector<std::string>& row = expected.emplace_back();
    for (std::size_t field = 0; field < 3; ++field) {
      std::string plain = concat("f", i * field % 101), written = plain;
      for (std::size_t part = 0; part < (i * 7 + field * 3) % 12; ++part) {
        const std::string_view more = parts[(i + part * (field + 1)) % std::size(parts)];
        // A CR in front of an LF would make one line end of two.
        if (more == "\n" && plain.ends_with('\r')) continue;
        line += more == "\n" || more == "\r" || more == "\r\n";
        plain += more;
        for (const char c : more) written += c == '"' ? std::string("\"\"") : std::string(1, c);
      }
      if (plain.find_first_of(",\r\n") != std::string::npos || written.size() > plain.size() || i % 3 == field)
        written = concat("\"", written, "\"");
      text += (field > 0 ? "," : "") + written;
      row.push_back(plain);
    }
    text += line_ends[i % 3];
  }
  for (const std::size_t step : {1u, 997u, 65535u, 40009u}) {
    PiecesSource source(text, step);
    CsvReader reader(source, "t.csv");
    std::size_t i = 0;
    for (std::vector<std::string_view> fields; reader.next(fields); ++i) {
      ASSERT_LT(i, expected.size());
      ASSERT_EQ(std::vector<std::string>(fields.begin(), fields.end()), expected[i]) << i;
      ASSERT_EQ(reader.line_number(), lines[i]);
    }
    EXPECT_EQ(i, expected.size());
  }
}

TEST(CsvReader, RefusesWhatIsTooLarge) {
  EXPECT_HAS(input_error([] { rows_of<MemorySource>("a\n" + std::string(max_csv_fields, ',')); }), "t.csv:2: ");
  EXPECT_EQ(rows_of<MemorySource>(std::string(max_csv_fields - 1, ',')).at(0).size(), max_csv_fields);
  EXPECT_HAS(input_error([] { rows_of<MemorySource>("\"" + std::string(max_line_bytes + 1, 'a') + "\""); }),
             "t.csv:1: the record that begins here is longer");
  // Each record may be as long as that.
  const std::string longest(max_line_bytes, 'a');
  EXPECT_EQ(rows_of<MemorySource>(longest + "\n\"" + longest + "\"\n"), (Rows{{longest}, {longest}}));
}

}  // namespace
}  // namespace gausscse
