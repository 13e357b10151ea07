#include "data/corpus/row_source.hpp"

#include <algorithm>
#include <utility>

#include "tests/data/corpus/corpus_test_helpers.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::string>;

/// Rows as "line: first|second" of the columns a and b, the latter by a second name and not needed.
Lines rows_of(std::string_view text, BadLines bad_lines = BadLines::error) {
  MemorySource source(text);
  RowSource rows(source, "f");
  rows.select("pairs", {{{"a"}}, {.names = {"b", "bee"}, .needed = false}});
  ReadReport report;
  LineTally tally("f", bad_lines, report);
  Lines read;
  std::string row;
  while (rows.next(tally, [&] { row = concat(rows.sentence(0, false), "|", rows.has(1) ? rows.scalar(1) : "none"); }))
    read.push_back(row);
  tally.finish("pair");
  return read;
}

TEST(RowSource, RowsAreTheSameHoweverTheyAreWritten) {
  const Lines expected{"x, \"y\"|1.25", "z|true"};
  EXPECT_EQ(rows_of("\n\"bee\",c,a\r\n1.25,,\"x, \"\"y\"\"\"\n\ntrue,c,z\n"), expected);
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"
                    "a\tc\tbee\n"
                    "x, \"y\"\t\t1.25\n"
                    " \t \n"
                    "z\tc\ttrue"),
            expected);
  EXPECT_EQ(
      rows_of("{\"c\": [{\"a\": 1}], \"bee\": 1.25, \"a\": \"x, \\\"y\\\"\"}\r\n\n{\"a\": \"z\", \"bee\": true}\n"),
      expected);
}

TEST(RowSource, ReadsSemicolonsAsPythonsCsvModuleWithThatDelimiter) {
  EXPECT_EQ(rows_of("a;c;bee\nx, y;\"p; \"\"q\"\"\";1,50\n\"z;\nw\";;2\n"), (Lines{"x, y|1,50", "z;\nw|2"}));
  EXPECT_EQ(rows_of("a;\"c, d, e\";bee\nx;1;2\n"), Lines{"x|2"});
  EXPECT_EQ(rows_of("a,\"c; d; e\",bee\nx,1,2\n"), Lines{"x|2"});
  EXPECT_EQ(input_error([] { rows_of("a;bee\nx;y;z\n"); }),
            "f:2: the row has more semicolon-separated fields than the 2 columns: put a sentence with a semicolon in "
            "quotes");
  EXPECT_EQ(input_error([] { rows_of("A;b\nx;y\n"); }),
            "f:1: the header lacks the column \"a\", did you mean \"A\"?; it has \"A\", \"b\", and pairs need a");
  EXPECT_HAS(input_error([] { rows_of("a;b\n\"x\"y;z\n"); }), "where a semicolon or the line end must follow");
}

TEST(RowSource, ReadsAnArrayOfJsonAsItsElementsOneALine) {
  const Lines expected{"x, [\"y\"]\\|1.25", "z|true"};
  const std::string first = R"({"a": "x, [\"y\"]\\", "bee": 1.25, "c": [{"d": ["]"]}]})",
                    second = R"({"a":"z","bee":true})";
  for (const std::string& text :
       {concat("[", first, ",", second, "]"), concat("\xEF\xBB\xBF \n[\n  ", first, ",\r\n\r\n", second, "\n]\n\n"),
        concat("[\n{\"a\":\n\"x, [\\\"y\\\"]\\\\\",\n\"bee\":\n1.25\n}\n,\n", second, " ] ")})
    EXPECT_EQ(rows_of(text), expected) << text;
  EXPECT_EQ(rows_of(concat("[", first, ",\n\n{\"c\": 1},", second, "]"), BadLines::skip), expected);
  EXPECT_HAS(input_error([&] { rows_of(concat("[", first, ",\n\n{\"c\": 1},", second, "]")); }),
             "f:2: the key \"a\" is missing");
  std::string many = "[", long_text(5000, 'l');
  Lines rows;
  for (int i = 0; i < 50; ++i) {
    many += concat(i == 0 ? "" : ",", R"({"a": ")", i, long_text, R"("})");
    rows.push_back(concat(i, long_text, "|none"));
  }
  EXPECT_EQ(rows_of(many + "]"), rows);
}

/// As people write a header by hand; " a" of a trial that was made for such a header is the same column.
TEST(RowSource, NamesHaveNoWhiteSpaceAtTheirEnds) {
  EXPECT_EQ(rows_of("c, a ,  bee\n1,x,2\n"), Lines{"x|2"});
  EXPECT_EQ(rows_of("c \t a\tbee\n1\tx\t2\n"), Lines{"x|2"});
  EXPECT_HAS(input_error([] { rows_of("a, a\n1,x\n"); }), "f:1: the header names the column \"a\" twice");
  EXPECT_HAS(input_error([] { rows_of("x, y\n1,2\n"); }), "it has \"x\", \"y\", and pairs need a");
  MemorySource source("x, a\n1,2\n");
  RowSource rows(source, "f");
  EXPECT_EQ(rows.header(), (Lines{"x", "a"}));
  EXPECT_TRUE(rows.has_column(" a"));
  rows.select("pairs", {{{" a"}}});
  ReadReport report;
  LineTally tally("f", BadLines::error, report);
  ASSERT_TRUE(rows.next(tally, [] {}));
  EXPECT_EQ(rows.text(0), "2");
}

TEST(RowSource, AsManySemicolonsAsCommasAreCommas) {
  MemorySource source("a;b,c;d,e\n");
  EXPECT_EQ(RowSource(source, "f").header(), (Lines{"a;b", "c;d", "e"}));
}

/// A buffer has 64 KiB, a line or record here up to 9 KiB: lines end anywhere in buffers.
TEST(RowSource, RowsAreTheSameBehindTheEndsOfBuffers) {
  for (const std::string layout : {"csv", "tabs", "json", "array"}) {
    std::string text = layout == "csv" ? "a,bee\n" : layout == "tabs" ? "a\tbee\n" : layout == "array" ? "[" : "";
    Lines expected;
    for (std::size_t row = 0; row < 5000; ++row) {
      const std::string words = concat("w", row, std::string(row * 37 % (row % 50 == 0 ? 9000 : 90), 'x'), ",\"\n");
      const bool is_json = layout == "json" || layout == "array";
      std::string value;
      for (const char c : words) {
        if (c == '"')
          value += layout == "csv" ? "\"\"" : is_json ? "\\\"" : "\"";
        else if (c == '\n')
          value += layout == "csv" ? "\n" : is_json ? "\\n" : " ";
        else
          value += c;
      }
      if (layout == "csv") text += concat("\"", value, "\",", row, row % 3 == 0 ? "\r\n" : "\n");
      if (layout == "tabs") text += concat(value, "\t", row, row % 3 == 0 ? "\r\n" : "\n");
      if (is_json)
        text += concat(layout == "array" && row > 0 ? "," : "", "{\"a\": \"", value, "\", \"bee\": ", row, "}\n");
      expected.push_back(concat(layout == "tabs" ? words.substr(0, words.size() - 1) + " " : words, "|", row));
    }
    if (layout == "array") text += "]";
    ASSERT_GT(text.size(), std::size_t{5} << 16);
    EXPECT_EQ(rows_of(text), expected) << layout;
  }
}

TEST(RowSource, TheFirstOfTheNamesOfAColumnCounts) {
  EXPECT_EQ(rows_of("bee,b,a\n1,2,x\n"), Lines{"x|2"});
  EXPECT_EQ(rows_of("{\"bee\": 1, \"b\": 2, \"a\": \"x\"}\n{\"bee\": 3, \"a\": \"y\"}\n{\"a\": \"z\"}"),
            (Lines{"x|2", "y|3", "z|none"}));
  EXPECT_EQ(rows_of("a\tc\nx\t1\n"), Lines{"x|none"});
}

TEST(RowSource, AMissingColumnIsNamedWithThoseThereAreAndThoseNeeded) {
  EXPECT_EQ(input_error([] { rows_of("\nA,b\nx,y\n"); }),
            "f:2: the header lacks the column \"a\", did you mean \"A\"?; it has \"A\", \"b\", and pairs need a");
  EXPECT_EQ(input_error([] { rows_of("{\"a\": \"x\"}\n{\"bee\": 1, \"c\": 2}\n"); }),
            "f:2: the key \"a\" is missing, did you mean \"c\"?; it has \"bee\", \"c\", and pairs need a");
}

/// A row may end behind the last of the columns that are read, but not before.
TEST(RowSource, RowsHaveTheColumnsThatAreReadOnceAndNoOthersThanTheHeader) {
  for (const char separator : {',', '\t'}) {
    const auto text = [&](std::string rows) {
      std::replace(rows.begin(), rows.end(), ' ', separator);
      return rows;
    };
    const std::string word = separator == ',' ? "comma" : "tab";
    for (const auto& each : {std::pair{"c a b d\n", "1 x y"}, {"b a c d\n", "y x"}}) {
      const std::string header = each.first, row = each.second;
      EXPECT_EQ(rows_of(text(header + row)), Lines{"x|y"});
      const auto fields = std::count(row.begin(), row.end(), ' ') + 1;
      EXPECT_EQ(input_error([&] { rows_of(text(header + "\n" + row.substr(0, row.rfind(' ')))); }),
                concat("f:3: the row has ", fields - 1, " ", word, "-separated fields where at least ", fields,
                       " are needed: the line is cut, or a ", word, " is missing"));
      EXPECT_EQ(input_error([&] { rows_of(text(header + "1 2 3 4 5")); }),
                concat("f:2: the row has more ", word, "-separated fields than the 4 columns: ",
                       separator == ',' ? "put a sentence with a comma in quotes" : "a sentence must not hold a tab"));
    }
    for (const char* twice : {"a a b", "a c a", "b a b"})
      EXPECT_HAS(input_error([&] { rows_of(text(concat("\n", twice, "\n1 2 3\n"))); }),
                 concat("f:2: the header names the column \"", twice[0], "\" twice, so its value is ambiguous"));
  }
}

TEST(RowSource, ASentenceInBracketsIsNoArrayOfJson) {
  const std::string no_end = "f: the JSON array has no end: the file is cut short, get it again";
  EXPECT_EQ(input_error([] { rows_of("[{\"a\": \"x\"},\n"); }), no_end);
  EXPECT_EQ(input_error([] { rows_of("[{\"a\": \"x\""); }), no_end);
  EXPECT_EQ(input_error([] { rows_of(" [\n"); }), no_end);
  EXPECT_EQ(input_error([] { rows_of("[{\"a\": \"x\"}]]"); }), "f: text follows the end of the JSON array: remove it");
  MemorySource source("[Music] plays,x\n");
  EXPECT_EQ(RowSource(source, "f").header(), (Lines{"[Music] plays", "x"}));
}

TEST(RowSource, WithoutAHeaderTheFirstRowIsData) {
  for (const bool allow_more : {false, true}) {
    MemorySource source("x\ty\nz\tw\tv\n");
    RowSource rows(source, "f");
    rows.without_header({"a", "b"}, allow_more);
    rows.select("pairs", {{{"b"}}});
    ReadReport report;
    LineTally tally("f", BadLines::skip, report);
    Lines read;
    while (rows.next(tally, [&] { read.emplace_back(rows.text(0)); })) {
    }
    EXPECT_EQ(read, allow_more ? (Lines{"y", "w"}) : Lines{"y"});
  }
}

/// One line in two may be bad for one reason, regardless of its values; one more, and the file is another one.
TEST(LineTally, MostLinesOfAFileAreNotLeftOutForOneReason) {
  const std::string half = "a,b\nx,1\n ,2\ny,1\n\"\t\",2\n";
  EXPECT_EQ(rows_of(half, BadLines::skip), (Lines{"x|1", "y|1"}));
  EXPECT_EQ(rows_of(half + "z\n", BadLines::skip), (Lines{"x|1", "y|1"})) << "another reason";
  const std::string json = "{\"a\": \"x\"}\n{\"a\": 1}\n{\"a\": 2}\n";
  EXPECT_EQ(input_error([&] { rows_of(json, BadLines::skip); }),
            "f: 2 of 3 lines are bad for one reason, the first: f:2: \"a\" is a number where a text is needed: check "
            "that it is the right file, as only single bad lines are skipped");
  const std::string labels = "{\"a\": \"x\"}\n{\"c3\": 1}\n{\"d10\": 2}\n";
  EXPECT_HAS(input_error([&] { rows_of(labels, BadLines::skip); }), "f: 2 of 3 lines are bad for one reason");
}

}  // namespace
}  // namespace gausscse
