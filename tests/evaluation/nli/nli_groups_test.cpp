#include "evaluation/nli/nli_pairs.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Names = std::vector<std::string>;

class NliGroups : public testing::Test {
 protected:
  NliPairs read(const std::string& text, const std::string& key, BadLines bad_lines = BadLines::error) const {
    write_bytes(folder_ / "pairs", text);
    return read_nli_pairs(folder_ / "pairs", setting::SickRows::test, UnlabelledPairs::keep,
                          model_to_read_for(tokenizer_, 64, 64), {.bad_lines = bad_lines}, key);
  }

  /// Returns a line of SNLI's layout with `more` behind the three keys that are needed.
  static std::string line(const std::string& more) {
    return R"({"gold_label": "entailment", "sentence1": "a", "sentence2": "b")" + more + "}\n";
  }

  TemporaryFolder folder_;
  ByteTokenizer tokenizer_;
};

TEST_F(NliGroups, OfAJsonKeyAreItsTextsNumbersAndTruthValues) {
  const NliPairs pairs = read(line(R"(, "category": "colours")") + line(R"(, "category": 7)") +
                                  line(R"(, "category": -1.50)") + line(R"(, "category": true)") +
                                  line(R"(, "category": "")") + line(R"(, "inner": {"category": 3}, "category": "x")"),
                              "category");
  EXPECT_EQ(pairs.group_key, "category");
  EXPECT_EQ(pairs.group, (Names{"colours", "7", "-1_5", "true", "-", "x"}));
  EXPECT_EQ(read(line("") + line(""), "sentence1").group, (Names{"a", "a"}));
  EXPECT_EQ(read(line("") + line(""), "").group, Names{});
}

TEST_F(NliGroups, ALineWithoutTheKeyIsABadLine) {
  EXPECT_TRUE(says(refusal_of([&] { read(line(R"(, "category": "x")") + line(""), "category"); }),
                   "pairs:2: the key \"category\", by which pairs are to be grouped, is missing"));
  for (const std::string value : {"null", "[1]", "{\"a\": 1}"})
    EXPECT_TRUE(says(refusal_of([&] { read(line(", \"category\": " + value), "category"); }),
                     "where a text or a number is needed"));
  const NliPairs left = read(line(R"(, "category": "x")") + line(""), "category", BadLines::skip);
  EXPECT_EQ(left.group, Names{"x"});
  EXPECT_EQ(left.label.size(), 1u);
}

TEST_F(NliGroups, OfATabSeparatedFileAreTheValuesOfAColumn) {
  const std::string rows =
      "gold_label\tsentence1\tsentence2\tgenre\nentailment\ta\tb\tup:one\nneutral\tc\td\tdown two\n";
  EXPECT_EQ(read(rows, "genre").group, (Names{"up:one", "down_two"}));
  EXPECT_TRUE(says(refusal_of([&] { read(rows, "gerne"); }),
                   "the header lacks the column \"gerne\", by which pairs are to be grouped, did you mean \"genre\"?"));
  EXPECT_TRUE(says(refusal_of([&] { read(rows + "neutral\te\tf\n", "genre"); }), "the row has 3 tab-separated fields"));
}

TEST_F(NliGroups, AreFewAndHaveNamesOfTheirOwn) {
  EXPECT_TRUE(says(refusal_of([&] { read(line(R"(, "k": "a b")") + line(R"(, "k": "a/b")"), "k"); }),
                   R"(the values "a b" and "a/b" of the key "k" would both be called "a_b")"));
  std::string many;
  for (int i = 0; i < 100; ++i) many += line(", \"k\": " + std::to_string(i));
  EXPECT_EQ(read(many, "k").group.size(), 100u);
  EXPECT_TRUE(says(refusal_of([&] { read(many + line(R"(, "k": 100)"), "k"); }), "has over 100 values"));
}

TEST_F(NliGroups, OfMonotonicityAreThoseOfMed) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const NliPairs med = read_nli_pairs(real_data() / "MED/MED.tsv", setting::SickRows::test, UnlabelledPairs::keep,
                                      model_to_read_for(tokenizer_, 512, 512), {}, "genre");
  ASSERT_EQ(med.group.size(), 5382u);
  EXPECT_EQ(med.group[0], "paper:FraCaS_GQ:upward_monotone");
  EXPECT_EQ(med.group[1], "paper:FraCaS_GQ:downward_monotone");
}

}  // namespace
}  // namespace gausscse
