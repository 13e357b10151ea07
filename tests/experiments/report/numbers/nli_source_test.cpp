#include "experiments/report/numbers/nli_source.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/content_hash.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {

namespace {

using namespace testing_support;

constexpr const char* lines =
    "{\"gold_label\": \"entailment\", \"sentence1\": \"abcdefgh\", \"sentence2\": \"abcd\"}\n"
    "{\"gold_label\": \"neutral\", \"sentence1\": \"ab\", \"sentence2\": \"\xC3\xA9\xC3\xA9\"}\n"
    "{\"gold_label\": \"-\", \"sentence1\": \"a\", \"sentence2\": \"abcdefghijklmnopqrstuvwxyz\"}\n";

Trial trial_with(const std::string& tasks) {
  return parse_trial(
      "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\ndata: {train: t.jsonl, trim: true}\n"
      "output: out\ntasks:\n" +
          tasks,
      "trial", "/base");
}

TEST(NliSource, IsWhereTheTrialSaysAndHowItReads) {
  const Trial trial = trial_with(
      "  dev: {kind: nli, files: dev.jsonl, eval_every: 5}\n"
      "  test: {kind: nli, files: SICK.txt, threshold: dev}\n"
      "  both: {kind: nli, files: SICK.txt, threshold: dev, rows: dev}\n");
  Provenance provenance;
  provenance.data_hashes = {{"/base/dev.jsonl", "aa"}, {"/base/SICK.txt", "bb"}};
  const auto dev = nli_source_of(trial, "dev", provenance), test = nli_source_of(trial, "test", provenance);
  ASSERT_TRUE(dev && test);
  EXPECT_EQ(dev->file, "/base/dev.jsonl");
  EXPECT_EQ(dev->hash, "aa");
  EXPECT_EQ(dev->sick_set, "TRIAL");
  EXPECT_TRUE(dev->trim);
  EXPECT_FALSE(dev->skip_bad_lines);
  EXPECT_EQ(test->hash, "bb");
  EXPECT_EQ(test->sick_set, "TEST");
  EXPECT_EQ(nli_source_of(trial, "both", provenance)->sick_set, "TRIAL");
  EXPECT_FALSE(nli_source_of(trial, "none", provenance));
  EXPECT_EQ(nli_source_of(trial, "dev", {})->hash, "");
}

TEST(NliSource, HasNoFileWherePairsWereHeldOut) {
  Trial trial = trial_with("  dev: {kind: nli, files: dev.jsonl, eval_every: 5}\n");
  std::get<NliTaskSettings>(trial.tasks.front().of_kind).file.clear();
  const auto source = nli_source_of(trial, "dev", {});
  ASSERT_TRUE(source);
  EXPECT_EQ(read_nli_texts(*source, {}).problem,
            "its pairs were held out of the training files, which are not read here");
}

TEST(NliTexts, HaveLengthRatiosAndTheChosenPairs) {
  const TemporaryFolder folder;
  const auto file = folder / "pairs.jsonl";
  write_bytes(file, lines);
  const NliTexts texts = read_nli_texts({file, content_hash(file), "", false, false}, {1});
  EXPECT_EQ(texts.problem, "");
  EXPECT_EQ(texts.pairs, 3u);
  ASSERT_EQ(texts.length_ratios.size(), 3u);
  EXPECT_DOUBLE_EQ(texts.length_ratios[0], std::log(2.0));
  EXPECT_DOUBLE_EQ(texts.length_ratios[1], 0) << "characters, not bytes";
  EXPECT_DOUBLE_EQ(texts.length_ratios[2], std::log(1.0 / 26));
  ASSERT_EQ(texts.chosen.size(), 1u);
  EXPECT_EQ(texts.chosen.at(1).premise, "ab");
}

TEST(NliSource, HasTheTrialsNamesOfColumnsAndLabels) {
  const Trial trial = parse_trial(
      "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\noutput: out\n"
      "data: {train: t.jsonl, columns: {premise: claim, hypothesis: evidence, label: verdict},\n"
      "       labels: {entailment: holds, neutral: open, contradiction: fails}}\n"
      "tasks: {dev: {kind: nli, files: dev.jsonl}}\n",
      "trial", "/base");
  const CorpusLayout expected{.premise = "claim",
                              .hypothesis = "evidence",
                              .label = "verdict",
                              .entailment = "holds",
                              .neutral = "open",
                              .contradiction = "fails"};
  EXPECT_EQ(nli_source_of(trial, "dev", {})->layout, expected);
}

/// The file also has the known names of columns, with other texts, so that a reader without the layout counts those.
TEST(NliTexts, AreReadByTheNamesOfColumnsAndLabelsOfTheSource) {
  const TemporaryFolder folder;
  const auto file = folder / "pairs.tsv";
  write_bytes(file,
              "sentence1\tclaim\tsentence2\tevidence\tgold_label\tverdict\n"
              "x\tabcdefgh\tx\tabcd\tneutral\tholds\n"
              "x\tab\tx\tabcdefgh\tneutral\tfails\n");
  const CorpusLayout layout{.premise = "claim",
                            .hypothesis = "evidence",
                            .label = "verdict",
                            .entailment = "holds",
                            .neutral = "open",
                            .contradiction = "fails"};
  const NliTexts texts = read_nli_texts({file, content_hash(file), "", false, false, layout}, {0, 1});
  EXPECT_EQ(texts.problem, "");
  EXPECT_EQ(texts.pairs, 2u);
  ASSERT_EQ(texts.length_ratios.size(), 2u);
  EXPECT_DOUBLE_EQ(texts.length_ratios[0], std::log(8.0 / 4));
  EXPECT_DOUBLE_EQ(texts.length_ratios[1], std::log(2.0 / 8));
  ASSERT_EQ(texts.chosen.size(), 2u);
  EXPECT_EQ(texts.chosen.at(0).premise, "abcdefgh");
  EXPECT_EQ(texts.chosen.at(0).hypothesis, "abcd");
  EXPECT_EQ(texts.chosen.at(0).label, NliLabel::entailment);
  EXPECT_EQ(texts.chosen.at(1).label, NliLabel::contradiction);
}

TEST(NliTexts, SayWhyThereAreNone) {
  const TemporaryFolder folder;
  const auto file = folder / "pairs.jsonl";
  EXPECT_TRUE(says(read_nli_texts({file, "00", "", false, false}, {}).problem, "is not there"));
  write_bytes(file, lines);
  EXPECT_TRUE(says(read_nli_texts({file, "00", "", false, false}, {}).problem, "not the one that was measured"));
  EXPECT_TRUE(says(read_nli_texts({file, "", "", false, false}, {}).problem, "has no hash of its file"));
  EXPECT_TRUE(says(read_nli_texts({folder.path(), "00", "", false, false}, {}).problem, "is not there"));
  write_bytes(file, "{\"gold_label\": 1}\n");
  const NliTexts bad = read_nli_texts({file, content_hash(file), "", false, false}, {});
  EXPECT_TRUE(says(bad.problem, "its file cannot be read"));
  EXPECT_EQ(bad.pairs, 0u);
}

}  // namespace

}  // namespace gausscse
