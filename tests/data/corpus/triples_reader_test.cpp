#include "data/corpus/corpus_readers.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Triple with texts of its own.
struct KeptTriple {
  std::string premise, entailment, contradiction;
};

std::vector<KeptTriple> read_triples(std::string_view text, ReadReport& report, BadLines bad_lines = BadLines::error,
                                     bool trim = false) {
  MemorySource source(text);
  std::vector<KeptTriple> triples;
  for_each_triple(source, "t.csv", {.bad_lines = bad_lines, .trim = trim}, report, [&](const TripleTexts& triple) {
    triples.push_back({std::string(triple.premise), std::string(triple.entailment), std::string(triple.contradiction)});
  });
  return triples;
}

std::string error_of_triples(std::string_view text, BadLines bad_lines = BadLines::error) {
  ReadReport report;
  return input_error([&] { read_triples(text, report, bad_lines); });
}

TEST(Triples, ReadsQuotedFields) {
  ReadReport report;
  const auto triples = read_triples(
      "\xEF\xBB\xBF\"sent0\",sent1,hard_neg\r\n\r\n\"a, b\",\"say \"\"c\"\"\",\"two\nlines\"\r\n d ,e,f\n", report);
  ASSERT_EQ(triples.size(), 2u);
  EXPECT_EQ(triples[0].premise, "a, b");
  EXPECT_EQ(triples[0].entailment, "say \"c\"");
  EXPECT_EQ(triples[0].contradiction, "two\nlines");
  EXPECT_EQ(triples[1].premise, " d ");
  EXPECT_EQ(report.pairs, 2u);
}

std::vector<std::string> joined_triples(std::string_view text, const TripleOptions& options = {}) {
  MemorySource source(text);
  ReadReport report;
  std::vector<std::string> triples;
  for_each_triple(source, "t", options, report, [&](const TripleTexts& triple) {
    triples.push_back(concat(triple.premise, "|", triple.entailment, "|", triple.contradiction));
  });
  EXPECT_EQ(report.pairs, triples.size());
  return triples;
}

TEST(Triples, AreReadUnderTheNamesThatPeopleUse) {
  const std::vector<std::string> expected{"a|b|c"};
  for (const char* text : {"anchor,positive,negative\na,b,c\n", "train_id\tquery\tpos\tneg\n7\ta\tb\tc\n",
                           "{\"negative\": \"c\", \"anchor\": \"a\", \"positive\": \"b\"}\n",
                           "{\"query\": \"a\", \"pos\": [\"b\"], \"neg\": [\"c\"]}\n"})
    EXPECT_EQ(joined_triples(text), expected) << text;
}

TEST(Triples, GiveOneForEachContradictedHypothesisOfARow) {
  const std::vector<std::string> expected{"a|b|c", "a|b|d", "e|f|g", "e|f|h"};
  EXPECT_EQ(joined_triples("anchor,positive,negative_1,negative_2\na,b,c,d\ne,f,g,h\n"), expected);
  EXPECT_EQ(joined_triples("{\"anchor\": \"a\", \"positive\": \"b\", \"negative\": [\"c\", \"d\"]}\n"
                           "{\"anchor\": \"e\", \"positive\": \"f\", \"negative\": [\"g\", \"h\"]}\n"),
            expected);
  EXPECT_EQ(joined_triples(R"({"query": "a", "pos": ["b", "c"], "neg": ["d", "e"]})"),
            (std::vector<std::string>{"a|b|d", "a|b|e", "a|c|d", "a|c|e"}));
  const std::string empty = R"({"anchor": "a", "positive": "b", "negative": []})",
                    number = R"({"anchor": "a", "positive": "b", "negative": ["c", 1]})";
  EXPECT_HAS(error_of_triples(empty), "t.csv:1: the row has no contradicted hypothesis");
  EXPECT_HAS(error_of_triples(number), "t.csv:1: \"negative\" is an array where a text is needed");
}

TEST(Triples, AreReadUnderAUsersNames) {
  const CorpusLayout layout{.premise = "q", .entailed = "good", .contradicted = "bad"};
  const std::vector<std::string> expected{"a|b|c"};
  EXPECT_EQ(joined_triples("bad,anchor,good,q\nc,x,b,a\n", {.layout = layout}), expected);
  EXPECT_EQ(joined_triples(R"({"bad": "c", "good": "b", "q": "a", "negative": "x"})", {.layout = layout}), expected);
  TemporaryFolder folder;
  write_bytes(folder / "t", "bad,good,q\nc,b,a\n");
  EXPECT_EQ(columns_text(folder / "t", Contradictions::needed, layout), "premise=q, entailed=good, contradicted=bad");
  EXPECT_EQ(detect_format(folder / "t", layout), CorpusFormat::triples);
  EXPECT_HAS(input_error([&] { detect_format(folder / "t"); }),
             "or give their names in data.columns (--columns of a command)");
  CorpusOptions options;
  options.layout = layout;
  EXPECT_EQ(sentences_of(build_training_corpus({folder / "t"}, options)), (std::vector<std::string>{"a", "b", "c"}));
  write_bytes(folder / "p", "claim,evidence,verdict\nc,e,-5\n");
  const CorpusLayout pairs{.premise = "evidence", .hypothesis = "claim", .label = "verdict", .contradiction = "-5"};
  EXPECT_EQ(columns_text(folder / "p", Contradictions::needed, pairs),
            "premise=evidence, hypothesis=claim, label=verdict (-5 contradiction)");
}

TEST(Triples, NeedNoContradictionWhereItIsLeftOut) {
  const TripleOptions options{.contradictions = Contradictions::left_out};
  EXPECT_EQ(joined_triples("sent0,sent1\na,b\n", options), std::vector<std::string>{"a|b|"});
  EXPECT_EQ(joined_triples("anchor,positive,negative\na,b,c\n", options), std::vector<std::string>{"a|b|"});
}

TEST(Triples, ShowWhichColumnIsRead) {
  TemporaryFolder folder;
  write_bytes(folder / "t", "positive,anchor,negative\na,b,c\n");
  EXPECT_EQ(columns_text(folder / "t", Contradictions::needed),
            "premise=anchor, entailed=positive, contradicted=negative");
  EXPECT_EQ(columns_text(folder / "t", Contradictions::left_out), "premise=anchor, entailed=positive");
  write_bytes(folder / "p", "hypothesis\tlabel\tpremise\nb\t2\ta\n");
  EXPECT_EQ(columns_text(folder / "p", Contradictions::needed),
            "premise=premise, hypothesis=hypothesis, label=label (0 entailment, 1 neutral, 2 contradiction, -1 none)");
  write_bytes(folder / "p", "gold_label,sentence1,sentence2\nneutral,a,b\n");
  EXPECT_EQ(columns_text(folder / "p", Contradictions::needed),
            "premise=sentence1, hypothesis=sentence2, label=gold_label");
  // As a Parquet table gives a row without a label.
  write_bytes(folder / "p",
              "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": null}\n"
              "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": 1}\n");
  EXPECT_EQ(columns_text(folder / "p", Contradictions::needed),
            "premise=premise, hypothesis=hypothesis, label=label (0 entailment, 1 neutral, 2 contradiction, -1 none)");
}

/// As pandas writes its index: first, under no name.
TEST(Triples, AreNotSeenInAColumnWithoutAName) {
  TemporaryFolder folder;
  write_bytes(folder / "pairs", ",premise,hypothesis,label\n0,a,b,entailment\n1,a,c,neutral\n");
  EXPECT_EQ(detect_format(folder / "pairs"), CorpusFormat::nli);
  ReadReport report;
  const std::vector<NliPair> pairs = read_nli_pairs(folder / "pairs", {}, report);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].hypothesis, "c");
  write_bytes(folder / "other", ",claim,evidence\n0,a,b\n");
  EXPECT_HAS(input_error([&] { detect_format(folder / "other"); }),
             "the columns are \"\", \"claim\", \"evidence\", but");
  EXPECT_EQ(joined_triples(",anchor,positive,negative\n0,a,b,c\n"), std::vector<std::string>{"a|b|c"});
}

TEST(Triples, AreFoundByTheNamesOfTheirColumns) {
  for (const char* text :
       {"hard_neg,x,sent0,sent1\nc,1,\"a, \"\"q\"\"\",b\n", "hard_neg\tx\tsent0\tsent1\nc\t1\ta, \"q\"\tb\n",
        "{\"hard_neg\": \"c\", \"x\": 1, \"sent0\": \"a, \\\"q\\\"\", \"sent1\": \"b\"}\n"}) {
    ReadReport report;
    const auto triples = read_triples(text, report);
    ASSERT_EQ(triples.size(), 1u) << text;
    EXPECT_EQ(triples[0].premise, "a, \"q\"") << text;
    EXPECT_EQ(triples[0].entailment, "b") << text;
    EXPECT_EQ(triples[0].contradiction, "c") << text;
  }
}

TEST(Triples, LinesOfBlanksAreLeftOut) {
  ReadReport report;
  EXPECT_EQ(read_triples(" \nsent0,sent1,hard_neg\n \t\na,b,c\n\t\r\n  ", report).size(), 1u);
  EXPECT_EQ(report.bad_lines, 0u);
}

TEST(Triples, TrimsWhereAsked) {
  ReadReport report;
  const auto triples = read_triples("sent0,sent1,hard_neg\n d , e,\"f\t\"\n", report, BadLines::error, true);
  ASSERT_EQ(triples.size(), 1u);
  EXPECT_EQ(triples[0].premise, "d");
  EXPECT_EQ(triples[0].entailment, "e");
  EXPECT_EQ(triples[0].contradiction, "f");
}

TEST(Triples, SaysWhatIsWrong) {
  const std::string header = "sent0,sent1,hard_neg\n";
  std::string wide_header;
  for (const char character : header) wide_header += concat(character, '\0');
  EXPECT_HAS(error_of_triples(""), "t.csv: the file is empty: check that it is whole");
  EXPECT_EQ(error_of_triples("sent0,sent1\na,b\n"),
            "t.csv:1: the header lacks the column \"hard_neg\", the contradicted hypothesis (without any, set recipe: "
            "contrastive_pairs); it has \"sent0\", \"sent1\", and triples need sent0 or anchor or query, sent1 or "
            "positive or "
            "pos, hard_neg or negative or neg or negative_1");
  EXPECT_EQ(error_of_triples("\nanchor\tnegativ\n"),
            "t.csv:2: the header lacks the column \"sent1\"; it has \"anchor\", \"negativ\", and triples need sent0 or "
            "anchor "
            "or query, sent1 or positive or pos, hard_neg or negative or neg or negative_1");
  EXPECT_HAS(error_of_triples(header), "t.csv: no usable triple");
  EXPECT_HAS(error_of_triples(header + "a,b,c\nd,e\n"),
             "t.csv:3: the row has 2 comma-separated fields where at least 3 are needed");
  EXPECT_HAS(error_of_triples(header + "a,b,c,d\n"),
             "t.csv:2: the row has more comma-separated fields than the 3 columns: put a "
             "sentence with a comma in quotes");
  EXPECT_HAS(error_of_triples(header + "a,b,\"\n\"\n"),
             "t.csv:2: the sentence \"hard_neg\" is empty (only white space)");
  EXPECT_HAS(error_of_triples(header + "a,b\xFF,c\n"), "t.csv:2: byte 2");
  EXPECT_HAS(error_of_triples(header + "a,b,c\na,\"b,c\n"), "t.csv:3: a quote (\") is opened here and not closed");
  EXPECT_HAS(error_of_triples(header + "\"A \\\"man\\\"\",b,c\n"), "t.csv:2: column 6: \"m\" follows the quote");
  EXPECT_HAS(error_of_triples(header + "\"A\" man,b,c\na,b,c\n", BadLines::skip), "t.csv:2: column 4: \" \" follows");
  EXPECT_HAS(error_of_triples(wide_header), "t.csv: this is text in UTF-16");
  // The rest of the file lies within the quote, so nothing can be skipped.
  EXPECT_HAS(error_of_triples(header + "a,b,c\na,\"b,c\n", BadLines::skip), "t.csv:3: a quote");
}

TEST(Triples, SkipsBadRowsWhereAsked) {
  ReadReport report;
  const auto triples = read_triples("sent0,sent1,hard_neg\na,b\n\"x\ny\",b,\na,b,c\n,b,c\n", report, BadLines::skip);
  EXPECT_EQ(triples.size(), 1u);
  EXPECT_EQ(report.bad_lines, 3u);
  const std::vector<std::string> messages = report.bad_line_messages("t");
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0], "t: 3 of 4 lines are left out");
  EXPECT_HAS(messages[1], "t.csv:2: ");
  EXPECT_HAS(messages[2], "2 lines such as t.csv:3: the sentence \"hard_neg\" is empty");
  EXPECT_HAS(messages[3], "t.csv:6: the sentence \"sent0\" is empty");
  EXPECT_EQ(report.pairs, 1u);
  EXPECT_EQ(
      error_of_triples("sent0,sent1,hard_neg\na,b\n\n,b,c\n", BadLines::skip),
      "t.csv: no usable triple: 2 bad lines were skipped, the first: t.csv:2: the row has 2 comma-separated fields "
      "where at least 3 are needed: the line is cut, or a comma is missing: check that it is the right "
      "file");
}

}  // namespace
}  // namespace gausscse
