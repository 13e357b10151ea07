#include "data/retrieval/entailment_queries.hpp"

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;
using Queries = std::vector<RetrievalQuery>;

std::string sick_row(const std::string& a, const std::string& b, const std::string& label, const std::string& ab,
                     const std::string& ba, const std::string& set) {
  return concat("1\t", a, "\t", b, "\t", label, "\t4\tA_", ab, "_B\tB_", ba, "_A\t", set, "\n");
}

const std::string sick_header =
    "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\t"
    "SemEval_set\n";

/// Rows of both directions, of both ways, of a query that is a document, and of other sets.
const std::string sick = sick_header + sick_row("a train", "b train", "ENTAILMENT", "entails", "neutral", "TRAIN") +
                         sick_row("a", "b", "ENTAILMENT", "entails", "neutral", "TEST") +
                         sick_row("c", "b", "ENTAILMENT", "entails", "contradicts", "TEST") +
                         sick_row("d", "e", "ENTAILMENT", "entails", "entails", "TEST") +
                         sick_row("f", "g", "NEUTRAL", "neutral", "entails", "TEST") +
                         sick_row("a", "b", "ENTAILMENT", "entails", "neutral", "TEST") +
                         sick_row("a", "f", "NEUTRAL", "neutral", "neutral", "TEST") +
                         sick_row("h", "a", "ENTAILMENT", "entails", "neutral", "TRIAL");

class EntailmentQueries : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    write_bytes(folder_ / "file", text);
    return folder_ / "file";
  }

  TemporaryFolder folder_;
  ReadReport report_;
};

TEST_F(EntailmentQueries, OfNliAreEntailedHypothesesAmongAllPremises) {
  const RetrievalSet set = read_entailed_hypotheses(
      file(jsonl("neutral", "p1", "h0") + jsonl("entailment", "p2", "h1") + jsonl("entailment", "p3", "h2") +
           jsonl("contradiction", "p4", "h1") + jsonl("entailment", "p1", "h1") + jsonl("-", "p5", "h3") +
           jsonl("entailment", "p2", "h1") + jsonl("entailment", "p1", "p3") + jsonl("entailment", "p4", "p4")),
      {}, report_);
  EXPECT_EQ(set.documents, (Texts{"p1", "p2", "p3", "p4", "p5"}));
  EXPECT_EQ(set.queries,
            (Queries{{"h1", "h1", {{1, 1}, {0, 1}}, {}}, {"h2", "h2", {{2, 1}}, {}}, {"p3", "p3", {{0, 1}}, 2}}));
  EXPECT_EQ(set.without_relevant, 1u) << "p4 is entailed by itself alone";
  EXPECT_FALSE(set.of_sick);
  EXPECT_EQ(report_.pairs, 9u);
}

TEST_F(EntailmentQueries, OfNliHaveTheRowsOfSickThatAreChosen) {
  const RetrievalSet set = read_entailed_hypotheses(file(sick), {.sick_set = "TEST"}, report_);
  EXPECT_EQ(set.documents, (Texts{"a train", "a", "c", "d", "f", "h"})) << "premises of all rows";
  EXPECT_EQ(set.queries, (Queries{{"b", "b", {{1, 1}, {2, 1}}, {}}, {"e", "e", {{3, 1}}, {}}}));
  EXPECT_TRUE(set.of_sick);
  EXPECT_EQ(report_.pairs, 6u);
}

TEST_F(EntailmentQueries, OfSickAreEntailedOneWay) {
  const RetrievalSet set = read_one_way_sentences(file(sick), {.sick_set = "TEST"}, report_);
  EXPECT_EQ(set.documents, (Texts{"a train", "b train", "a", "b", "c", "d", "e", "f", "g", "h"}));
  EXPECT_EQ(set.queries, (Queries{{"b", "b", {{2, 1}, {4, 1}}, 3}, {"f", "f", {{8, 1}}, 7}}));
  EXPECT_TRUE(set.of_sick);
  EXPECT_EQ(read_one_way_sentences(file(sick), {.sick_set = "TRIAL"}, report_).queries,
            (Queries{{"a", "a", {{9, 1}}, 2}}));
}

TEST_F(EntailmentQueries, WithoutAQueryAreRefused) {
  EXPECT_TRUE(says(refusal_of([&] { read_entailed_hypotheses(file(jsonl("neutral", "p", "h")), {}, report_); }),
                   "file: no sentence is entailed by another one"));
  EXPECT_TRUE(says(refusal_of([&] { read_one_way_sentences(file(jsonl("entailment", "p", "h")), {}, report_); }),
                   "file: has no columns entailment_AB and entailment_BA"));
  EXPECT_TRUE(says(
      refusal_of([&] { read_entailed_hypotheses(file(jsonl("entailment", "p", "h") + "no pair\n"), {}, report_); }),
      "file:2: "));
  report_ = {};
  read_entailed_hypotheses(file(jsonl("entailment", "p", "h") + "no pair\n" + jsonl("neutral", "p", "h")),
                           {.bad_lines = BadLines::skip}, report_);
  EXPECT_EQ(report_.bad_lines, 1u) << "counted once";
}

}  // namespace
}  // namespace gausscse
