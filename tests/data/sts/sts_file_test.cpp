#include "data/sts/sts_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;
using Cells = std::vector<std::string>;
using Kind = StsLayout::Kind;

std::vector<StsPair> read(const std::string& text, BadLines bad_lines, ReadReport& report) {
  MemorySource beginning(text), source(text);
  return read_sts_pairs(source, "s.txt", recognise_sts_layout(beginning, "s.txt"), bad_lines, report);
}

std::vector<StsPair> read(const std::string& text) {
  ReadReport report;
  return read(text, BadLines::error, report);
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { read(text); });
}

std::string text_of(const std::vector<StsPair>& pairs) {
  std::string text;
  for (const StsPair& pair : pairs) text += concat(pair.first, "|", pair.second, "|", pair.score, "\n");
  return text;
}

std::string row_of(const Cells& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : "\t") + cell;
  return row + "\n";
}

const std::string benchmark_row = "main\tMSRvid\t2012\t1\t2.5\tOne\tTwo\n";
const std::string semeval_header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n";

TEST(StsFile, TheBenchmarkIsReadAsItStands) {
  EXPECT_EQ(text_of(read("\xEF\xBB\xBF \t\n\n"
                         "main\tMSRvid\t2012\t1\t2.500\tA \"quoted\" one. \t Another one\n"
                         "\n"
                         "main\tMSRvid\t2012\t2\t5\tThird, or not\tFourth\tsource\tsource\r\n")),
            "A \"quoted\" one. | Another one|2.5\nThird, or not|Fourth|5\n");
}

/// The headers of GLUE's STS-B, of the benchmark with one, of its CSV, and of other columns in another order.
TEST(StsFile, HeadersAreReadByTheirNames) {
  const std::string expected = "A \"man\" runs.|A, man runs|4.5\nb|c|0\n";
  EXPECT_EQ(text_of(read("index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
                         "0\tmain\tMSRvid\t2012\t1\tnone\tnone\tA \"man\" runs.\tA, man runs\t4.500\n"
                         "1\tmain\tMSRvid\t2012\t3\tnone\tnone\tb\tc\t0\r\n")),
            expected);
  EXPECT_EQ(text_of(read("split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n"
                         "dev\tmain\tMSRvid\t2012\t1\t4.5\tA \"man\" runs.\tA, man runs\n"
                         "dev\tmain\tMSRvid\t2012\t1\t0\tb\tc\n")),
            expected);
  EXPECT_EQ(text_of(read("\xEF\xBB\xBFsentence1,sentence2,score\r\n"
                         "\"A \"\"man\"\" runs.\",\"A, man runs\",4.5\r\n \r\nb,c,0.0\r\n")),
            expected);
  EXPECT_EQ(
      text_of(read("similarity_score\tsentence2\tid\tsentence1\n4.5\tA, man runs\tx\tA \"man\" runs.\n0\tc\ty\tb\n")),
      expected);
  EXPECT_EQ(text_of(read("A \"man\" runs.\tA, man runs\t4.5\nb\tc\t0\n")), expected);
  EXPECT_EQ(text_of(read("\"A \"\"man\"\" runs.\",\"A, man runs\",4.5\nb,c,0\n")), expected);
  EXPECT_EQ(text_of(read("sentence1,sentence2,score\n\"two\nlines\",b,1\n")), "two\nlines|b|1\n");
}

TEST(StsFile, OtherHeadersAreRefusedInWordsOfSts) {
  EXPECT_TRUE(
      says(refusal("\nindex\tsentence1\tsentence2\n0\ta\tb\n"), "s.txt:2: the header lacks the column \"score\""));
  EXPECT_TRUE(says(refusal("gold_label\tsentence1\tsentence2\nneutral\ta\tb\n"), "lacks the column \"score\""));
  EXPECT_TRUE(says(refusal("sentence1,score\na,1\n"), "lacks the column \"sentence2\""));
  EXPECT_TRUE(says(refusal("sentence_A\tsentence_B\tentailment_judgment\na\tb\tNEUTRAL\n"),
                   "s.txt:1: the header lacks the column \"relatedness_score\""));
  EXPECT_TRUE(says(refusal("sentence1\tsentence2\tscore\tscore\na\tb\t1\t2\n"), "names the column \"score\" twice"));
  for (const char* text : {"A sentence.\n", "two\tsentences\n", "a\tb\tc\td\tno number\tf\tg\n",
                           "a\tb\tc\td\t7\tf\tg\n", "a\tb\tc\td\t-0.5\tf\tg\n", "a\tb\tc\td\t3\tf\n", "a,b,c,d,3,f,g\n",
                           "{\"gold_label\": \"neutral\", \"sentence1\": \"a\"}\n"}) {
    EXPECT_TRUE(says(refusal(text), "is of no layout of sentence pairs with scores")) << text;
    EXPECT_EQ(refusal(text).find("gold_label, "), std::string::npos) << text;
    MemorySource source(text);
    EXPECT_FALSE(find_sts_layout(source, "s.txt")) << text;
  }
  EXPECT_EQ(refusal("\x1F\x8B\x08"), "s.txt: this is gzip data: unpack it first (gunzip)");
  EXPECT_TRUE(says(refusal("<html>\n"), "s.txt: this is a page of HTML"));
  EXPECT_EQ(refusal("\n"), "s.txt: the file is empty: give a file of sentence pairs with scores");
  const auto kind_of = [](std::string_view text) {
    MemorySource source(text);
    return recognise_sts_layout(source, "s.txt").kind;
  };
  EXPECT_EQ(kind_of("a\tb\tc\td\t0\tf\tg"), Kind::benchmark);
  EXPECT_EQ(kind_of("sentence1\tsentence2\tscore"), Kind::named);
  EXPECT_EQ(kind_of("a\tb\t0"), Kind::triple);
  EXPECT_EQ(kind_of("sentence_A\tsentence_B\trelatedness_score"), Kind::sick);
}

TEST(StsFile, SplitsAreNotMeasuredTogether) {
  const std::string header = "split\tsentence1\tsentence2\tscore\n";
  EXPECT_EQ(
      refusal(header + "train\ta\tb\t1\ntrain\ta\tb\t1\ntest\ta\tb\t1\n"),
      "s.txt:4: the row is of the split \"test\", those before it of \"train\": make a file of each split, as each is "
      "measured by itself");
  EXPECT_EQ(read(header + "test\ta\tb\t1\ntest\tc\td\t2\n").size(), 2u);
}

TEST(StsFile, BadLinesAreRefusedWithTheirPlaceOrLeftOut) {
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\tf\n"), "s.txt:2: the row has 6 fields, but 7 are needed"));
  for (const char* score : {"-0.5", "-1e-9", "5.0001", "nan", "inf", "+1", "1x", " 1", "2,5", ""})
    EXPECT_EQ(refusal(concat(benchmark_row, "a\tb\tc\td\t", score, "\tf\tg\n")),
              concat("s.txt:2: the score, \"", score, "\", is not a number from 0 to 5"));
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\t \tg\n"), "s.txt:2: the sentence \"the first\" is empty"));
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\tf\t\xFF\n"), "is not valid UTF-8"));
  EXPECT_TRUE(
      says(refusal("sentence1\tsentence2\tscore\na\tb\t1\tc\n"), "s.txt:2: the row has 4 fields, but the header 3"));

  ReadReport report;
  const auto pairs =
      read(benchmark_row + "a\tb\tc\td\t3\tf\n" + benchmark_row + "a\tb\tc\td\t9\tf\tg\n" + "a\tb\tc\td\t3\t\tg\n",
           BadLines::skip, report);
  EXPECT_EQ(text_of(pairs), "One|Two|2.5\nOne|Two|2.5\n");
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_EQ(report.bad_lines, 3u);
  EXPECT_TRUE(says(report.bad_line_messages.at(1), "s.txt:4: the score, \"9\""));
  EXPECT_EQ(refusal_of([&] { read("sentence1\tsentence2\tscore\na\tb\n", BadLines::skip, report); }),
            "s.txt: has no pair to measure on: 1 bad lines were skipped: check that it is the right file");
}

/// Whichever of the columns that are read is the last of these, a row may end behind it, but not before.
void expect_all_needed(Cells header, Cells row, std::size_t read_columns) {
  for (std::size_t last = 0; last < read_columns; ++last) {
    Cells columns = header, cells = row;
    // Columns that are read stand in front, `last` as the last of them.
    std::swap(columns[last], columns[read_columns - 1]);
    std::swap(cells[last], cells[read_columns - 1]);
    cells.resize(read_columns);
    EXPECT_EQ(text_of(read(row_of(columns) + row_of(cells))), "One|Two|3.5\n") << columns[read_columns - 1];
    for (std::size_t fields = read_columns - 1; fields > 0; --fields) {
      cells.resize(fields);
      EXPECT_EQ(refusal(row_of(columns) + "\n" + row_of(cells)),
                concat("s.txt:3: the row has ", fields, " fields, but ", read_columns, " are needed"))
          << columns[read_columns - 1];
    }
  }
}

TEST(StsFile, ShortRowsAreRefused) {
  expect_all_needed({"sentence_A", "sentence_B", "relatedness_score", "entailment_judgment", "pair_ID"},
                    {"One", "Two", "3.5", "NEUTRAL", "1"}, 3);
  expect_all_needed({"sentence_A", "sentence_B", "relatedness_score", "SemEval_set", "entailment_label",
                     "entailment_AB", "entailment_BA"},
                    {"One", "Two", "3.5", "TEST", "NEUTRAL", "A_neutral_B", "B_neutral_A"}, 4);
  expect_all_needed({"sentence1", "sentence2", "score", "split", "genre"}, {"One", "Two", "3.5", "dev", "x"}, 4);
}

TEST(StsFile, OfSicksFullReleaseTheTestRowsAreRead) {
  EXPECT_EQ(text_of(read(semeval_header + "6\t One\tTwo \t3.3\tNEUTRAL\n")), " One|Two |3.3\n");
  const std::string header = row_of({"sentence_A", "sentence_B", "relatedness_score", "SemEval_set", "entailment_label",
                                     "entailment_AB", "entailment_BA"});
  const auto row = [](const char* first, const char* score, const char* set) {
    return row_of({first, "Two", score, set});
  };
  EXPECT_EQ(text_of(read(header + row("a", "1", "TRAIN") + row("b", "2", "TEST") + row("c", "3", "TRIAL") +
                         row("d", "4", "TEST"))),
            "b|Two|2\nd|Two|4\n");
  EXPECT_TRUE(says(refusal(header + row("a", "1", "TRAIN")), "s.txt: has no pair to measure on"));
  EXPECT_TRUE(says(refusal(header + row("a", "-0.5", "TEST")), "s.txt:2: the score, \"-0.5\", is not a number"));
}

TEST(StsFile, RealFilesHaveTheirNumbersOfPairs) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto pairs_of = [](const char* file) {
    ReadReport report;
    return read_sts_file(testing_support::real_data() / file, BadLines::error, report);
  };
  EXPECT_EQ(pairs_of("sts/stsbenchmark/sts-train.csv").size(), 5749u);
  EXPECT_EQ(pairs_of("sts/stsbenchmark/sts-dev.csv").size(), 1500u);
  const std::vector<StsPair> test = pairs_of("sts/stsbenchmark/sts-test.csv");
  ASSERT_EQ(test.size(), 1379u);
  EXPECT_EQ(test.front().first, "A girl is styling her hair.");
  EXPECT_EQ(test.front().score, 2.5);
  EXPECT_EQ(pairs_of("SICK/SICK_test_annotated.txt").size(), 4927u);
  EXPECT_EQ(pairs_of("SICK/SICK.txt").size(), 4906u);
  EXPECT_TRUE(says(refusal_of([&] { pairs_of("missing.csv"); }), "missing.csv"));
}

}  // namespace
}  // namespace gausscse
