#include "config/proposal/data_sample.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Folder with files to sample.
class DataSampleTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }
  std::string refusal(const std::string& text, const CorpusLayout& layout = {}) const {
    return refusal_of([&] { sample_data({file("refused", text)}, layout, BadLines::error); });
  }

  TemporaryFolder folder_;
};

void expect_sample(const DataSample& sample, double rows, double triples, double pairs, double labelled_pairs) {
  EXPECT_TRUE(sample.is_whole);
  EXPECT_EQ(sample.rows_read, rows);
  EXPECT_EQ(sample.rows, rows);
  EXPECT_EQ(sample.examples(ExampleKind::triples, TriplesPerPremise::one), triples);
  EXPECT_EQ(sample.examples(ExampleKind::entailment_pairs, TriplesPerPremise::one), pairs);
  EXPECT_EQ(sample.examples(ExampleKind::labelled_pairs, TriplesPerPremise::one), labelled_pairs);
}

TEST_F(DataSampleTest, CountsTriplesAndPairs) {
  const DataSample triples =
      sample_data({file("t.tsv", "anchor\tpositive\tnegative\na\tb\tc\nd\te\tf\nd\tg\tf\n")}, {}, BadLines::error);
  expect_sample(triples, 3, 3, 3, 0);
  EXPECT_EQ(triples.premises, 2u);
  EXPECT_EQ(triples.files.at(0).content, FileContent::triples);
  EXPECT_EQ(triples.files.at(0).text, "premise=anchor, entailed=positive, contradicted=negative");
  EXPECT_EQ(triples.sentences, (std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "f"}));

  const DataSample lists = sample_data(
      {file("l.json",
            R"([{"query": "a", "pos": ["b", "c"], "neg": ["d", "e"]}, {"query": "f", "pos": "g", "neg": "h"}])")},
      {}, BadLines::error);
  expect_sample(lists, 2, 5, 3, 0);
  EXPECT_EQ(lists.triples_of_every_entailment, 5);

  const DataSample pairs = sample_data({file("p.csv", "query,pos\na,b\nc,d\n")}, {}, BadLines::error);
  expect_sample(pairs, 2, 0, 2, 0);
  EXPECT_EQ(pairs.files.at(0).content, FileContent::pairs);

  // Where one file lacks negatives, none are read.
  const DataSample both = sample_data({folder_ / "t.tsv", folder_ / "p.csv"}, {}, BadLines::error);
  expect_sample(both, 5, 0, 5, 0);
}

TEST_F(DataSampleTest, GathersLabelledPairsByPremiseOverAllFiles) {
  const std::string header = "premise,hypothesis,label\n";
  const std::filesystem::path one = file("1.csv", header + "a,b,entailment\na,c,neutral\nd,e,0\nd,f,1\ng,h,2\n"),
                              two = file("2.csv", header + "a,i,contradiction\ng,j,entailment\nk,l,-\n");
  const DataSample sample = sample_data({one, two}, {}, BadLines::error);
  // Both are there of a and of g; d has no contradiction.
  expect_sample(sample, 8, 2, 3, 7);
  // The entailment of a has both other labels, those of d and g one of them.
  EXPECT_EQ(sample.examples(ExampleKind::triples, TriplesPerPremise::every_entailment), 4);
  EXPECT_EQ(sample.premises, 4u);
  expect_sample(sample_data({one}, {}, BadLines::error), 5, 0, 2, 5);
}

TEST_F(DataSampleTest, EstimatesWhatIsBehindTheFirstRows) {
  std::string text = "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": 0}\n";
  const std::size_t row = text.size();
  std::string rows;
  for (int i = 0; i < 1000; ++i) rows += i % 4 == 3 ? std::string(text).replace(row - 3, 1, "2") : text;
  const DataSample sample = sample_data({file("big.jsonl", rows)}, {}, BadLines::error, 100);
  EXPECT_EQ(sample.rows_read, 100u);
  EXPECT_FALSE(sample.is_whole);
  EXPECT_FALSE(sample.is_lower_bound);
  EXPECT_NEAR(sample.rows, 1000, 110);  // the reader is at most 512 bytes ahead of 4,700
  EXPECT_NEAR(sample.pairs, 750, 83);
  EXPECT_NEAR(sample.triples, 250, 28);
  EXPECT_EQ(sample.triples_of_every_entailment, sample.pairs);
  EXPECT_NEAR(sample.labelled_pairs, 1000, 110);
  EXPECT_EQ(sample.sentences.size(), 200u);
  // The rows are divided among the files.
  const DataSample two = sample_data({folder_ / "big.jsonl", file("same.jsonl", rows)}, {}, BadLines::error, 100);
  EXPECT_EQ(two.rows_read, 100u);
  EXPECT_NEAR(two.rows, 2000, 400);
}

TEST_F(DataSampleTest, RefusesWhatCannotTrain) {
  EXPECT_TRUE(says(refusal("sentence1,sentence2,score\na,b,4.5\n"),
                   "refused: has pairs with scores, and no loss learns from scores: give it as --dev or --test"));
  EXPECT_TRUE(says(refusal("a\tb\t4.5\nc\td\t1\n"), "has pairs with scores"));
  EXPECT_EQ(read_columns(file("named.csv", "left,right,gold\na,b,4.5\n"),
                         {.premise = "left", .hypothesis = "right", .score = "gold"})
                .content,
            FileContent::scored_pairs);
  EXPECT_TRUE(says(refusal("claim;evidence;verdict\na;b;yes\n"),
                   "refused:1: the columns are \"claim\", \"evidence\", \"verdict\", but these names are not known "
                   "(the first line must name "
                   "the columns): name them by "
                   "--columns premise=NAME,"));
  EXPECT_TRUE(says(refusal("sentence1,sentence2\na,b\n"),
                   "the columns are \"sentence1\", \"sentence2\", but these names are not"));
  EXPECT_TRUE(says(refusal("premise,hypothesis,label\na,b,neutral\n"),
                   "refused: no pair is labelled entailment (1 neutral, the first in "));
  EXPECT_TRUE(says(refusal_of([&] {
                     sample_data({file("t", "anchor,positive\na,b\n"), file("n", "premise,hypothesis,label\na,b,0\n")},
                                 {}, BadLines::error);
                   }),
                   "the training files mix pairs with labels ("));
}

TEST_F(DataSampleTest, ReadsAUsersNamesAndSkipsBadLines) {
  const CorpusLayout layout{.premise = "evidence", .entailed = "claim"};
  const std::filesystem::path path = file("odd", "evidence;claim;verdict\na;b;x\n;c;x\nd;e;x\n");
  EXPECT_TRUE(says(refusal_of([&] { sample_data({path}, layout, BadLines::error); }), "odd:3: "));
  const DataSample sample = sample_data({path}, layout, BadLines::skip);
  expect_sample(sample, 2, 0, 2, 0);
  EXPECT_EQ(sample.files.at(0).text, "premise=evidence, entailed=claim");
  EXPECT_EQ(sample.files.at(0).names, (std::vector<std::string>{"evidence", "claim", "verdict"}));
  EXPECT_EQ(sample.reports.at(0).bad_lines, 1u);
  EXPECT_EQ(sample.reports.at(0).good_lines, 2u);
  // The first file has no bad line, the second one has.
  const DataSample two = sample_data({file("whole", "evidence;claim\na;b\n"), path}, layout, BadLines::skip);
  EXPECT_EQ(two.reports.at(0).bad_lines, 0u);
  EXPECT_TRUE(says(two.reports.at(1).causes.at(0).examples.front(), "odd:3: "));
}

/// A table and JSON have no first line that names columns.
TEST_F(DataSampleTest, NamesTheColumnsOfJson) {
  EXPECT_TRUE(says(refusal("{\"claim\": \"a\", \"evidence\": \"b\"}\n"),
                   "refused:1: the columns are \"claim\", \"evidence\", but these names are not known: name them by "));
}

}  // namespace
}  // namespace gausscse
