#include <utility>

#include "data/corpus/corpus_readers.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"

namespace gausscse {
namespace {

using Cells = std::vector<std::string>;

std::string tab_separated(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : "\t") + cell;
  return line + "\n";
}

std::vector<NliPair> read_sick(std::string_view text, const ReadOptions& options = {}) {
  MemorySource source(text);
  ReadReport report;
  std::vector<NliPair> pairs;
  for_each_nli_pair(source, "s.txt", options, report, [&](NliPair&& pair) { pairs.push_back(std::move(pair)); });
  return pairs;
}

const Cells sick_columns{"sentence_A",    "sentence_B",    "entailment_label",
                         "entailment_AB", "entailment_BA", "SemEval_set"};

TEST(SickRows, OfSickSayWhatEachSentenceSaysOfTheOther) {
  const auto with = [](const std::string& ab, const std::string& ba) {
    return tab_separated(sick_columns) + tab_separated({"a", "b", "ENTAILMENT", ab, ba, "TRAIN"});
  };
  for (const std::string ba : {"B_entails_A", "B_neutral_A", "B_contradicts_A"}) {
    EXPECT_EQ(read_sick(with("A_entails_B", ba)).at(0).entails_both_ways, ba == "B_entails_A");
    EXPECT_FALSE(read_sick(with("A_neutral_B", ba)).at(0).entails_both_ways);
    EXPECT_FALSE(read_sick(with("A_contradicts_B", ba)).at(0).entails_both_ways);
  }
  for (const std::string ba : {"B_is_A", "A_entails_B", "b_entails_a", ""}) {
    EXPECT_EQ(input_error([&] { read_sick(with("A_entails_B", ba)); }),
              "s.txt:2: \"" + ba +
                  "\" in the column entailment_BA is unknown; it is one of B_entails_A, B_neutral_A, B_contradicts_A");
  }
  EXPECT_EQ(input_error([&] { read_sick(with("B_entails_A", "B_entails_A")); }),
            "s.txt:2: \"B_entails_A\" in the column entailment_AB is unknown; it is one of A_entails_B, A_neutral_B, "
            "A_contradicts_B");
}

TEST(SickRows, OfOtherSetsOfSickAreCountedWhereNoneIsLeft) {
  const auto row = [](const std::string& premise, const std::string& set) {
    return tab_separated({premise, "b", "NEUTRAL", "A_neutral_B", "B_neutral_A", set});
  };
  const std::string header = tab_separated(sick_columns);
  const std::string others = header + row("a", "TEST") + row("c", "TRIAL") + row("d", "TEST") + row(" ", "TRAIN");
  EXPECT_EQ(
      input_error([&] { read_sick(others, {.bad_lines = BadLines::skip, .sick_set = "TRAIN"}); }),
      "s.txt: no usable pair: 3 rows are not of the SemEval_set TRAIN, and 1 bad lines were skipped, the first: "
      "s.txt:5: the sentence \"sentence_A\" is empty (only white space), so it has no meaning to learn from or to "
      "compare: remove the line: check that it is the right file");
  const std::vector<NliPair> test = read_sick(others, {.bad_lines = BadLines::skip, .sick_set = "TEST"});
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(test[0].premise, "a");
  EXPECT_EQ(test[1].premise, "d");
  // Rows of other sets are looked at, too.
  EXPECT_HAS(input_error([&] { read_sick(header + row("a", "TEST") + row(" ", "TRAIN"), {.sick_set = "TEST"}); }),
             "s.txt:3: the sentence \"sentence_A\" is empty (only white space)");
}

}  // namespace
}  // namespace gausscse
