#include "evaluation/nli/pair_lengths.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string line(const char* label, const std::string& premise, const std::string& hypothesis) {
  return concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", premise, R"(", "sentence2": ")", hypothesis,
                "\"}\n");
}

/// By hand: ln(8/4) = .69, ln(4/4) = 0, ln(2/4) = -.69, ln(1/40) = -3.7 among entailments; ln(6/4) = .41 of a neutral
/// pair. The two bytes of an e with an accent are one character.
std::string seven_pairs() {
  return line("entailment", "abcdefgh", "abcd") + line("entailment", "abc\xC3\xA9", "abcd") +
         line("entailment", "ab", "abcd") + line("neutral", "abcdef", "abcd") + line("contradiction", "abcd", "abcd") +
         line("entailment", "a", std::string(40, 'b')) + line("-", "abcd", "a");
}

TEST(PairLengths, CountWhatLengthsAndLabelsPredict) {
  const TemporaryFolder folder;
  write_bytes(folder / "set.jsonl", seven_pairs());
  const PairLengths set = read_pair_lengths(folder / "set.jsonl", {}, false);
  EXPECT_EQ(set.pairs, 6);
  EXPECT_EQ(set.without_gold_label, 1);
  EXPECT_EQ(set.entailments, 4);
  EXPECT_EQ(set.longer, 1);
  EXPECT_EQ(set.equal, 1);
  EXPECT_EQ(set.shorter, 2);
  // Bin 1 begins at -3, so that 0 is the lower end of bin 13.
  std::array<std::int64_t, PairLengths::bins> all{}, entailments{};
  entailments[13 + 2] = entailments[13] = entailments[13 - 3] = entailments[0] = 1;
  all = entailments;
  ++all[13 + 1];
  ++all[13];
  EXPECT_EQ(set.of_entailments, entailments);
  EXPECT_EQ(set.of_all, all);
}

TEST(PairLengths, ArePrintedWithTheirBaselines) {
  const TemporaryFolder folder;
  write_bytes(folder / "set.jsonl", seven_pairs());
  const std::vector<PairLengths> sets{read_pair_lengths(folder / "set.jsonl", {}, false)};
  const std::string text = pair_lengths_table(sets);
  EXPECT_TRUE(says(text,
                   "set        pairs  no gold label  larger class %  entailments %  directions  by length %  premise "
                   "longer  equal  shorter\n"
                   "set.jsonl      6              1           66.67          66.67           4        37.50  "
                   "             1      1        2\n"));
  EXPECT_TRUE(says(text, "\n0 to 0.25                       33.33          25.00\n"));
  EXPECT_TRUE(says(text, "\nbelow -3                        16.67          25.00\n"));
  EXPECT_TRUE(text.ends_with("\n0.5 to 0.75                     16.67          25.00\n")) << text;
  const nlohmann::json set = nlohmann::json::parse(pair_lengths_json(sets)).at("sets")[0];
  EXPECT_NEAR(set.at("majority").get<double>(), 4.0 / 6, 1e-15);
  EXPECT_NEAR(set.at("positives").get<double>(), 4.0 / 6, 1e-15);
  EXPECT_EQ(set.at("direction_length"), 1.5 / 4) << "one longer, one as long";
  EXPECT_EQ(set.at("log_ratio").at("pairs")[13], 2);
}

TEST(PairLengths, LeaveOutDirectionsBothWaysWhereTheFileTellsThem) {
  const TemporaryFolder folder;
  write_bytes(folder / "SICK.txt",
              "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n"
              "a dog runs\ta dog\tENTAILMENT\tA_entails_B\tB_entails_A\tTEST\n"
              "a cat\ta cat sits\tENTAILMENT\tA_entails_B\tB_neutral_A\tTEST\n"
              "a cat\ta dog\tNEUTRAL\tA_neutral_B\tB_neutral_A\tTEST\n"
              "a dog\ta cat\tNEUTRAL\tA_neutral_B\tB_neutral_A\tTRIAL\n");
  const ReadOptions test{.sick_set = "TEST"};
  EXPECT_EQ(read_pair_lengths(folder / "SICK.txt", test, false).longer, 1);
  const PairLengths one_way = read_pair_lengths(folder / "SICK.txt", test, true);
  EXPECT_EQ(one_way.pairs, 3);
  EXPECT_EQ(one_way.entailments, 2);
  EXPECT_EQ(one_way.longer, 0);
  EXPECT_EQ(one_way.shorter, 1);
  EXPECT_EQ(read_pair_lengths(folder / "SICK.txt", {.sick_set = "TRIAL"}, false).pairs, 1);
  write_bytes(folder / "annotated.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
              "1\ta dog runs\ta dog\t4\tENTAILMENT\n");
  EXPECT_TRUE(
      says(refusal_of([&] { read_pair_lengths(folder / "annotated.txt", {}, true); }), "no columns entailment_AB"));
  EXPECT_EQ(read_pair_lengths(folder / "annotated.txt", {}, false).longer, 1);
  write_bytes(folder / "none.jsonl", "\n\n" + line("-", "a", "b"));
  EXPECT_TRUE(says(refusal_of([&] { read_pair_lengths(folder / "none.jsonl", {}, false); }),
                   "none.jsonl:3: the first of 1 pairs, none of which has a gold label"));
}

}  // namespace
}  // namespace gausscse
