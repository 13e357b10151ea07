#include "data/sts/sts_file.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Cells = std::vector<std::string>;

std::vector<StsPair> read(const std::string& text, BadLines bad_lines, ReadReport& report) {
  MemorySource source(text);
  return read_sts_pairs(source, "s.txt", bad_lines, report);
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
  EXPECT_EQ(text_of(read("sentence1, sentence2, score\r\n\"A \"\"man\"\" runs.\",\"A, man runs\", 4.5 \nb,c, 0\n")),
            expected);
  EXPECT_EQ(
      text_of(read("similarity_score\tsentence2\tid\tsentence1\n4.5\tA, man runs\tx\tA \"man\" runs.\n0\tc\ty\tb\n")),
      expected);
  EXPECT_EQ(text_of(read("A \"man\" runs.\tA, man runs\t4.5\nb\tc\t0\n")), expected);
  EXPECT_EQ(text_of(read("\"A \"\"man\"\" runs.\",\"A, man runs\",4.5\nb,c,0\n")), expected);
  EXPECT_EQ(text_of(read("sentence1,sentence2,score\n\"two\nlines\",b,1\n")), "two\nlines|b|1\n");
  EXPECT_EQ(text_of(read("{\"sentence2\": \"A, man runs\", \"sentence1\": \"A \\\"man\\\" runs.\", \"score\": 4.50}\n"
                         "{\"sentence1\": \"b\", \"sentence2\": \"c\", \"similarity_score\": \"0\"}\n")),
            expected);
}

TEST(StsFile, AUsersNamesOfColumnsComeFirst) {
  const CorpusLayout names{.premise = "left", .hypothesis = "right", .score = "gold"};
  for (const char* text : {"score,right,gold,left,sentence1\n1,b,4.5,a,x\n",
                           "{\"left\": \"a\", \"right\": \"b\", \"gold\": 4.5, \"score\": 1}\n",
                           "sentence1,sentence2,gold\na,b,4.5\n", "sentence1\tsentence2\tscore\na\tb\t4.5\n"}) {
    MemorySource source(text), again(text);
    ReadReport report;
    EXPECT_EQ(text_of(read_sts_pairs(source, "s.txt", BadLines::error, report, names)), "a|b|4.5\n") << text;
    EXPECT_EQ(find_sts_layout(again, "s.txt", names), StsLayout::named) << text;
  }
}

TEST(StsFile, OtherHeadersAreRefusedInWordsOfSts) {
  EXPECT_TRUE(
      says(refusal("\nindex\tsentence1\tsentence2\n0\ta\tb\n"), "s.txt:2: the header lacks the column \"score\""));
  EXPECT_TRUE(says(refusal("gold_label\tsentence1\tsentence2\nneutral\ta\tb\n"), "lacks the column \"score\""));
  EXPECT_TRUE(says(refusal("sentence1,score\na,1\n"), "lacks the column \"sentence2\""));
  EXPECT_TRUE(says(refusal("sentence_A\tsentence_B\tentailment_judgment\na\tb\tNEUTRAL\n"),
                   "s.txt:1: the header lacks the column \"relatedness_score\""));
  EXPECT_TRUE(says(refusal("sentence1\tsentence2\tscore\tscore\na\tb\t1\t2\n"), "names the column \"score\" twice"));
  for (const char* text : {"A sentence.\n", "two\tsentences\n", "a\tb\tc\td\tno number\tf\tg\n", "a\tb\tc\td\t3\tf\n",
                           "a,b,c,d,3,f,g\n", "{\"gold_label\": \"neutral\", \"sentence1\": \"a\"}\n"}) {
    const bool has_columns = std::string_view(text).find_first_of("\t,") != std::string_view::npos;
    EXPECT_TRUE(says(refusal(text), has_columns ? ", but pairs with people's scores need a header with sentence1, "
                                                : "s.txt:1: the first line, \"A sentence.\", has no columns"));
    MemorySource source(text);
    EXPECT_FALSE(find_sts_layout(source, "s.txt")) << text;
  }
  EXPECT_EQ(refusal("\x1F\x8B\x08"), "s.txt: this is gzip data: unpack it first (gunzip)");
  EXPECT_TRUE(says(refusal("<html>\n"), "s.txt: this is a page of HTML"));
  EXPECT_EQ(refusal("\n"), "s.txt: the file is empty: check that it is whole");
  const auto kind_of = [](std::string_view text) {
    MemorySource source(text);
    return find_sts_layout(source, "s.txt");
  };
  EXPECT_EQ(kind_of("a\tb\tc\td\t0\tf\tg"), StsLayout::benchmark);
  EXPECT_EQ(kind_of("sentence1\tsentence2\tscore"), StsLayout::named);
  EXPECT_EQ(kind_of("a\tb\t0"), StsLayout::triple);
  EXPECT_EQ(kind_of("sentence_A\tsentence_B\trelatedness_score"), StsLayout::sick);
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
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\tf\n"),
                   "s.txt:2: the row has 6 tab-separated fields where at least 7 are needed"));
  for (const char* score : {"nan", "inf", "+1", "1x", "2,5", ""})
    EXPECT_EQ(refusal(concat(benchmark_row, "a\tb\tc\td\t", score, "\tf\tg\n")),
              concat("s.txt:2: the score, \"", score, "\", is not a number from 0 to 5"));
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\t \tg\n"), "s.txt:2: the sentence \"sentence1\" is empty"));
  EXPECT_TRUE(says(refusal(benchmark_row + "a\tb\tc\td\t3\tf\t\xFF\n"), "is not valid UTF-8"));
  EXPECT_TRUE(
      says(refusal("sentence1\tsentence2\tscore\na\tb\t1\tc\n"),
           "s.txt:2: the row has more tab-separated fields than the 3 columns: a sentence must not hold a tab"));

  ReadReport report;
  const auto pairs =
      read(benchmark_row + "a\tb\tc\td\t3\tf\n" + benchmark_row + "a\tb\tc\td\tnine\tf\tg\n" + "a\tb\tc\td\t3\t\tg\n",
           BadLines::skip, report);
  EXPECT_EQ(text_of(pairs), "One|Two|2.5\nOne|Two|2.5\n");
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_EQ(report.bad_lines, 3u);
  EXPECT_TRUE(says(report.causes.at(1).examples.front(), "s.txt:4: the score, \"nine\""));
  EXPECT_EQ(
      refusal_of([&] { read("sentence1\tsentence2\tscore\na\tb\n", BadLines::skip, report); }),
      "s.txt: no usable pair to measure on: 1 bad lines were skipped, the first: s.txt:2: the row has 2 tab-separated "
      "fields where at least 3 are needed: the line is cut, or a tab is missing: check that it is the right "
      "file");
}

/// Each would be left out, and the rest measured as if it were the file.
TEST(StsFile, ScoresOfAnotherScaleAreNoBadLines) {
  ReadReport report;
  for (const char* score : {"-0.5", "-1e-9", "5.0001", "100"}) {
    const std::string text = concat(benchmark_row, benchmark_row, benchmark_row, "a\tb\tc\td\t", score, "\tf\tg\n");
    for (const BadLines bad_lines : {BadLines::error, BadLines::skip})
      EXPECT_EQ(
          refusal_of([&] { read(text, bad_lines, report); }),
          concat("s.txt:4: the score, \"", score,
                 "\", is not from 0 to 5: this is no bad line to leave out but another scale: bring all scores of "
                 "the file to 0 to 5"));
  }
  EXPECT_TRUE(says(refusal("a\tb\t87.5\n"), "s.txt:1: the score, \"87.5\", is not from 0 to 5"));
  EXPECT_EQ(report.bad_lines, 0u);
  EXPECT_EQ(text_of(read(benchmark_row + "a\tb\tc\td\t5.0\tf\tg\n" + "a\tb\tc\td\t-0\tf\tg\n")),
            "One|Two|2.5\nf|g|5\nf|g|-0\n");
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
  EXPECT_TRUE(says(refusal(header + row("a", "1", "TRAIN")), "s.txt: no usable pair to measure on: check"));
  EXPECT_TRUE(says(refusal(header + row("a", "-0.5", "TEST")), "s.txt:2: the score, \"-0.5\", is not from 0 to 5"));
}

TEST(StsFile, RealFilesHaveTheirNumbersOfPairs) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto pairs_of = [](const char* file) {
    ReadReport report;
    return read_sts_file(real_data() / file, BadLines::error, report);
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
