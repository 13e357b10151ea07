#include "base/content_hash.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "experiments/study/study_records.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/compare/compared_results.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns "name: a | b".
std::vector<std::string> lines_of(const std::vector<SettingDifference>& differences) {
  const auto joined = [](const std::vector<std::string>& values) {
    return std::accumulate(values.begin(), values.end(), std::string(),
                           [](const std::string& text, const std::string& value) { return text + value + ";"; });
  };
  std::vector<std::string> lines;
  for (const SettingDifference& difference : differences)
    lines.push_back(difference.name + ": " + joined(difference.a) + " | " + joined(difference.b));
  return lines;
}

TEST(Comparison, ReportsSettingsThatChangeMetrics) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const std::string results = folder.path().string();
  const Comparison comparison =
      compare_groups(read_compared_group(results + ":system=ent"), read_compared_group(results + ":system=ent+con"));
  EXPECT_EQ(lines_of(comparison.configuration), (std::vector<std::string>{"objective.loss: ent; | ent+con;"}));
  EXPECT_EQ(lines_of(comparison.provenance), (std::vector<std::string>{"ranks: 1; | 2;"}));
}

TEST(Comparison, ReportsDataByWhatItIsToTheTrial) {
  RunResult a = result_of({with_wrong("snli", {})}, configuration("ent", 0)), b = a;
  a.provenance.data_hashes = {{"/base/train.jsonl", "aa"}, {"the tokenizer", "cc"}};
  b.configuration = to_yaml(
      parse("format: gausscse-trial/2\nmodel: {backbone: {path: other}}\ndata: {train: [t.jsonl, u.jsonl]}\noutput: x\n"
            "objective: {loss: ent}\n"));
  b.provenance.data_hashes = {{"/base/t.jsonl", "bb"}, {"/base/u.jsonl", "dd"}, {"the tokenizer", "cc"}};
  b.provenance.hosts = {"two", "one", "two"};
  b.provenance.libraries = {{"HDF5", "1.10"}};
  const Comparison comparison = compare_results(a, b);
  EXPECT_EQ(lines_of(comparison.configuration),
            (std::vector<std::string>{"data.train: [/data.train/1]; | [/data.train/1, /data.train/2];"}));
  EXPECT_EQ(lines_of(comparison.provenance),
            (std::vector<std::string>{"hosts: one; | one, two;", "data.train/1: aa; | bb;", "HDF5:  | 1.10;",
                                      "data.train/2:  | dd;"}));
}

TEST(Comparison, ReadsConfigurationsOfOtherVersionsAsTheyAre) {
  const Comparison comparison = compare_results(result_of({with_wrong("snli", {})}, "old: {key: [1, 2]}\nsame: x\n"),
                                                result_of({with_wrong("snli", {})}, "same: x\nnew: {}\n"));
  EXPECT_EQ(lines_of(comparison.configuration), (std::vector<std::string>{"old.key: [1, 2]; | "}));
  EXPECT_TRUE(find(comparison, "snli", "accuracy").contains("mcnemar"));
}

TEST(ComparedGroup, NamesAManifestThatIsNotWhatWasWritten) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  PlanFile plan = read_plan(folder / "plan.json");
  plan.manifest_hash = content_hash_of("name: a\n");
  write_plan(folder / "plan.json", plan);
  write_bytes(folder / "manifest.yaml", "name: a\n");
  EXPECT_EQ(read_compared_group(folder.path().string() + ":seed=2").damaged, std::vector<std::string>{});
  write_bytes(folder / "manifest.yaml", "name: b\n");
  const std::vector<std::string> damaged = read_compared_group(folder.path().string() + ":seed=2").damaged;
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_TRUE(says(damaged.front(), "manifest.yaml: damaged: it is not the manifest that plan.json was made from"));
}

TEST(ComparedGroup, IsRefusedWhereThereIsNone) {
  const TemporaryFolder folder;
  const std::filesystem::path results = folder / "results";
  write_compared_study(results);
  write_bytes(folder / "words.txt", "words");
  const auto refusal = [](const std::string& argument) { return refusal_of([&] { read_compared_group(argument); }); };
  EXPECT_TRUE(
      says(refusal((folder / "words.txt").string()), "not a result file of gausscse (it does not begin as HDF5)"));
  EXPECT_TRUE(says(refusal((folder / "none.h5").string()), "none.h5"));
  EXPECT_TRUE(says(refusal((folder / "none").string() + ":system=ent"), "there is no such file, and no folder before"));
  EXPECT_TRUE(says(refusal(folder.path().string()), "this folder has no result.h5"));
  EXPECT_TRUE(says(refusal(results.string()), "this is the results folder of a study: say which of its trials"));
  EXPECT_TRUE(
      says(refusal(results.string() + ":seed=4"), "none of its 1 trials is done (final ent+con 16 seed 4 is planned)"));
  EXPECT_TRUE(says(refusal(folder.path().string() + ":seed=4"), "no results folder of a study"));
  EXPECT_EQ(refusal((results / "trials/t2").string()), "accepted");
}

}  // namespace
}  // namespace gausscse
