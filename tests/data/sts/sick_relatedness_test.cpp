#include "data/sts/sick_relatedness.hpp"

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

TEST(SickRelatedness, ReadsSemEvalFilesAndTheTestRowsOfTheFullRelease) {
  const TemporaryFolder folder;
  write_bytes(folder / "semeval.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
              "6\tOne\tTwo\t3.3\tNEUTRAL\n");
  const std::vector<StsPair> pairs = read_sick_relatedness(folder / "semeval.txt");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, "One");
  EXPECT_EQ(pairs[0].second, "Two");
  EXPECT_EQ(pairs[0].score, 3.3);
  write_bytes(folder / "bad.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
              "6\tOne\tTwo\tx\tNEUTRAL\n");
  EXPECT_TRUE(says(refusal_of([&] { read_sick_relatedness(folder / "bad.txt"); }), "bad.txt:2: the score, \"x\""));
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto sick = testing_support::real_data() / "SICK";
  EXPECT_EQ(read_sick_relatedness(sick / "SICK_test_annotated.txt").size(), 4927u);
  EXPECT_EQ(read_sick_relatedness(sick / "SICK.txt").size(), 4906u);
}

std::string row_of(const Cells& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : "\t") + cell;
  return row + "\n";
}

std::vector<StsPair> read_rows(const std::string& text) {
  MemorySource source(text);
  return read_sick_relatedness(source, "s.txt");
}

/// Whichever of the columns that are read is the last of these, a row may end behind it, but not before.
void expect_all_needed(Cells header, Cells row, std::size_t read) {
  for (std::size_t last = 0; last < read; ++last) {
    Cells columns = header, cells = row;
    // Those that are read stand in front, `last` behind the others.
    std::swap(columns[last], columns[read - 1]);
    std::swap(cells[last], cells[read - 1]);
    cells.resize(read);
    const std::vector<StsPair> pairs = read_rows(row_of(columns) + row_of(cells));
    ASSERT_EQ(pairs.size(), 1u) << columns[read - 1];
    EXPECT_EQ(pairs[0].first, "One");
    EXPECT_EQ(pairs[0].second, "Two");
    EXPECT_EQ(pairs[0].score, 3.5);
    for (std::size_t fields = read - 1; fields > 0; --fields) {
      cells.resize(fields);
      EXPECT_EQ(refusal_of([&] { read_rows(row_of(columns) + "\n" + row_of(cells)); }),
                concat("s.txt:3: the row has ", fields, " fields, but ", read, " are needed"))
          << columns[read - 1];
    }
  }
}

TEST(SickRelatedness, ShortRowsAreRefused) {
  expect_all_needed({"sentence_A", "sentence_B", "relatedness_score", "entailment_judgment", "pair_ID"},
                    {"One", "Two", "3.5", "NEUTRAL", "1"}, 3);
  expect_all_needed({"sentence_A", "sentence_B", "relatedness_score", "SemEval_set", "entailment_label",
                     "entailment_AB", "entailment_BA"},
                    {"One", "Two", "3.5", "TEST", "NEUTRAL", "A_neutral_B", "B_neutral_A"}, 4);
}

TEST(SickRelatedness, SentencesAreAsTheyStand) {
  const std::vector<StsPair> pairs =
      read_rows(row_of({"sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"}) +
                row_of({" One", "Two ", "0", "NEUTRAL"}));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, " One");
  EXPECT_EQ(pairs[0].second, "Two ");
  EXPECT_EQ(pairs[0].score, 0);
}

TEST(SickRelatedness, OfAFileWithoutItIsMissed) {
  EXPECT_EQ(refusal_of([] {
              read_rows("\n" + row_of({"sentence_A", "sentence_B", "entailment_judgment"}) + "a\tb\tNEUTRAL\n");
            }),
            "s.txt:2: the header of SICK lacks the column \"relatedness_score\"");
  EXPECT_EQ(refusal_of([] {
              read_rows(row_of({"gold_label", "sentence1", "sentence2"}) + "neutral\ta\tb\n");
            }),
            "s.txt: is not SICK: its header has no sentence_A and sentence_B");
  EXPECT_EQ(refusal_of([] { read_rows("\n"); }), "s.txt: the file is empty: give a file of SICK");
}

TEST(SickRelatedness, IsThatOfTheTestSetAlone) {
  const std::string header = row_of({"sentence_A", "sentence_B", "relatedness_score", "SemEval_set", "entailment_label",
                                     "entailment_AB", "entailment_BA"});
  const auto row = [](const char* first, const char* score, const char* set) {
    return row_of({first, "Two", score, set});
  };
  const std::vector<StsPair> pairs = read_rows(header + row("a", "1", "TRAIN") + row("b", "2", "TEST") +
                                               row("c", "3", "TRIAL") + row("d", "4", "TEST"));
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].first, "b");
  EXPECT_EQ(pairs[0].score, 2);
  EXPECT_EQ(pairs[1].first, "d");
  EXPECT_EQ(pairs[1].score, 4);
  EXPECT_EQ(refusal_of([&] { read_rows(header + row("a", "1", "TRAIN")); }), "s.txt: has no pair to measure on");
  EXPECT_TRUE(says(refusal_of([&] { read_rows(header + row("a", "-0.5", "TEST")); }),
                   "s.txt:2: the score, \"-0.5\", is not a number from 0 to 5"));
}

}  // namespace
}  // namespace gausscse
