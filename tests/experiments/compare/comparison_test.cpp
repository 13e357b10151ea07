#include "experiments/compare/comparison.hpp"

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

TEST(Comparison, TestsSingleResultsOnTheirItems) {
  // A has 3 pairs alone (20 to 22) and B 12 (0 to 11); they share 30 to 33 as wrong.
  std::set<std::size_t> wrong_a = numbers(0, 12), wrong_b = numbers(20, 23);
  wrong_a.merge(numbers(30, 34));
  wrong_b.merge(numbers(30, 34));
  const Comparison comparison = compare_results(result_of({with_wrong("snli", wrong_a, 100)}, configuration("ent", 5)),
                                                result_of({with_wrong("snli", wrong_b, 100)}, configuration("ent", 6)));
  const nlohmann::json accuracy = find(comparison, "snli", "accuracy");
  EXPECT_DOUBLE_EQ(accuracy["a"]["mean"], 0.84);
  EXPECT_DOUBLE_EQ(accuracy["b"]["mean"], 0.93);
  EXPECT_NEAR(accuracy["difference"], 0.09, 1e-15);
  EXPECT_FALSE(accuracy.contains("welch"));
  ASSERT_TRUE(accuracy.contains("mcnemar"));
  EXPECT_EQ(accuracy["mcnemar"]["only_a"], 3);
  EXPECT_EQ(accuracy["mcnemar"]["only_b"], 12);
  EXPECT_DOUBLE_EQ(accuracy["mcnemar"]["p"], 2 * (1 + 15 + 105 + 455) / 32768.0) << "the exact test";
  EXPECT_FALSE(accuracy["mcnemar"].contains("seeds") || accuracy["mcnemar"].contains("seed"));
  // Even pairs have directions; by variance those are right that are wrong by similarity.
  const nlohmann::json by_similarity = find(comparison, "snli", "direction_sim");
  EXPECT_EQ(by_similarity["mcnemar"]["only_a"], 2);
  EXPECT_EQ(by_similarity["mcnemar"]["only_b"], 6);
  const nlohmann::json by_variance = find(comparison, "snli", "direction_var");
  EXPECT_EQ(by_variance["mcnemar"]["only_a"], 6);
  EXPECT_EQ(by_variance["mcnemar"]["only_b"], 2);
  EXPECT_FALSE(find(comparison, "snli", "threshold").contains("mcnemar"));
  EXPECT_EQ(find(comparison, "snli", "pairs")["unit"], "count");
}

TEST(Comparison, TestsGroupsOverSeeds) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const std::string results = folder.path().string();
  const Comparison comparison = compare_groups(read_compared_group(results + ":system=ent"),
                                               read_compared_group(results + ":system=ent+con,stage=final"));
  ASSERT_EQ(comparison.a.trials.size(), 2u);
  ASSERT_EQ(comparison.b.trials.size(), 2u);
  EXPECT_EQ(std::vector(comparison.table.notes.begin(), comparison.table.notes.begin() + 2),
            (std::vector<std::string>{"B lacks the seed 2 of A: left out, so that both are of the same seeds",
                                      "A lacks the seed 3 of B: left out, so that both are of the same seeds"}));
  EXPECT_EQ(comparison.b.notes, (std::vector<std::string>{"final ent+con 16 seed 4 is left out: it is planned"}));
  const nlohmann::json accuracy = find(comparison, "snli", "accuracy");
  EXPECT_EQ(accuracy["a"]["values"], (std::vector<double>{6.0 / 12, 10.0 / 12}));
  EXPECT_DOUBLE_EQ(accuracy["a"]["mean"], 16.0 / 24);
  EXPECT_DOUBLE_EQ(accuracy["b"]["mean"], 20.0 / 24);
  EXPECT_NEAR(accuracy["a"]["deviation"], std::sqrt(8.0) / 12, 1e-14);
  EXPECT_NEAR(accuracy["b"]["deviation"], std::sqrt(2.0) / 12, 1e-14);
  EXPECT_NEAR(accuracy["difference"], 4.0 / 24, 1e-14);
  ASSERT_TRUE(accuracy.contains("welch"));
  EXPECT_NEAR(accuracy["welch"]["t"], -2 / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(accuracy["welch"]["degrees"], 25.0 / 17, 1e-12);
  ASSERT_TRUE(accuracy.contains("bootstrap")) << "of the same seeds as the difference";
  EXPECT_LT(accuracy["bootstrap"]["low"], accuracy["difference"]);
  EXPECT_GT(accuracy["bootstrap"]["high"], accuracy["difference"]);
  ASSERT_TRUE(accuracy.contains("mcnemar"));
  EXPECT_FALSE(accuracy["mcnemar"].contains("seed"));
  EXPECT_EQ(accuracy["mcnemar"]["only_a"], 2);
  EXPECT_EQ(accuracy["mcnemar"]["only_b"], 6);
  EXPECT_DOUBLE_EQ(accuracy["mcnemar"]["p"], 2 * (1 + 8 + 28) / 256.0);
  ASSERT_EQ(accuracy["mcnemar"]["seeds"].size(), 2u) << "of the seeds that both have";
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][0]["seed"], 0);
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][0]["only_a"], 0);
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][0]["only_b"], 5);
  EXPECT_DOUBLE_EQ(accuracy["mcnemar"]["seeds"][0]["p"], 2 / 32.0);
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][1]["seed"], 1);
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][1]["only_a"], 2);
  EXPECT_EQ(accuracy["mcnemar"]["seeds"][1]["only_b"], 1);
}

TEST(Comparison, DoesNotTestItemsOfSeedsThatAreThereTwiceOrInOneGroup) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const std::string results = folder.path().string();
  const auto compare = [&](const std::string& a, const std::string& b) {
    return compare_groups(read_compared_group(results + a), read_compared_group(results + b));
  };
  const Comparison twice = compare(":stage=choose", ":system=ent");
  EXPECT_FALSE(find(twice, "snli", "accuracy").contains("mcnemar"));
  EXPECT_TRUE(has_note(twice, "A lacks the seeds 1, 2 of B: left out"));
  EXPECT_TRUE(has_note(twice, "No test over items: the seed 0 is there several times; name more labels."));
  EXPECT_FALSE(find(twice, "snli", "accuracy").contains("bootstrap"));
  EXPECT_EQ(find(twice, "snli", "accuracy")["b"]["values"].size(), 1u);
  const Comparison other = compare(":system=ent", ":system=ent+con,seed=3");
  EXPECT_FALSE(find(other, "snli", "accuracy").contains("mcnemar"));
  EXPECT_FALSE(find(other, "snli", "accuracy").contains("welch")) << "one value has no variance";
  EXPECT_TRUE(has_note(other, "No test over items: there is no seed in common."));
}

TEST(Comparison, LeavesOutWhatIsNotThere) {
  Measurement sts{"sts12", "sts", false, {{"spearman", std::nan("")}, {"pairs", 10, Unit::count}}, {}, ""};
  Measurement other = sts;
  other.metrics[0].value = 0.5;
  const Comparison comparison =
      compare_results(result_of({sts, with_wrong("snli", {1})}), result_of({with_wrong("mnli", {1}), other}));
  EXPECT_EQ(comparison.table.column_metrics, (std::vector<std::string>{"sts12.spearman", "sts12.pairs"}));
  const nlohmann::json spearman = find(comparison, "sts12", "spearman");
  EXPECT_TRUE(spearman["a"]["values"].empty());
  EXPECT_TRUE(spearman["a"]["mean"].is_null());
  EXPECT_TRUE(spearman["difference"].is_null());
  EXPECT_TRUE(has_note(comparison, "the task \"snli\" is in A only"));
  EXPECT_TRUE(has_note(comparison, "the task \"mnli\" is in B only"));
}

TEST(Comparison, HasTheAverageOverTheSameTasks) {
  const auto sets = [](const std::vector<double>& spearman) {
    std::vector<Measurement> tasks;
    for (std::size_t i = 0; i < spearman.size(); ++i)
      tasks.push_back({concat("sts1", i + 2), "sts", false, {{"spearman", spearman[i]}}, {}, ""});
    return result_of(tasks);
  };
  const Comparison comparison = compare_results(sets({0.75, 1}), sets({0.25, 0.5}));
  const nlohmann::json average = find(comparison, "average.sts", "spearman");
  EXPECT_DOUBLE_EQ(average["a"]["mean"], 0.875);
  EXPECT_DOUBLE_EQ(average["b"]["mean"], 0.375);
  EXPECT_FALSE(average.contains("bootstrap"));
  const Comparison other = compare_results(sets({0.75, 1}), sets({0.25, 0.5, 0.5}));
  EXPECT_THROW(find(other, "average.sts", "spearman"), std::logic_error);
}

/// Values of the backbones, and a note where their weights differ, which the initial weights do with each seed.
TEST(Comparison, HasTheBackbonesOfBoth) {
  const auto result = [](double accuracy, const std::string& weights) {
    RunResult made = result_of({with_wrong("snli", {0}), with_wrong("mnli", {0})}, configuration("ent", 0));
    StateResult backbone{backbone_state, 0, made.states.front().tasks};
    for (Measurement& task : backbone.tasks) {
      task.columns.clear();
      task.metrics = {{"accuracy", task.task == "snli" ? accuracy : 0.5}};
    }
    made.states.push_back(backbone);
    made.provenance.data_hashes = {{"the initial weights", weights + "with a head"}};
    made.provenance.input_hashes = {{"model.backbone/model.safetensors", weights}, {"data.train/1", weights}};
    return made;
  };
  const Comparison same = compare_results(result(0.75, "aa"), result(0.75, "aa"));
  EXPECT_EQ(find(same, "snli", "accuracy")["backbone"]["a"], 0.75);
  EXPECT_EQ(find(same, "snli", "accuracy")["backbone"]["b"], 0.75);
  EXPECT_FALSE(find(same, "snli", "pairs").contains("backbone"));
  const std::string note = "A and B began with different backbones: compare each with its own";
  EXPECT_FALSE(has_note(same, note));
  const Comparison other = compare_results(result(0.75, "aa"), result(0.25, "bb"));
  EXPECT_EQ(find(other, "snli", "accuracy")["backbone"]["b"], 0.25);
  EXPECT_TRUE(has_note(other, note));
  EXPECT_EQ(lines_of(other.provenance),
            (std::vector<std::string>{"the initial weights: aawith a head; | bbwith a head;",
                                      "model.backbone/model.safetensors: aa; | bb;"}));
  RunResult earlier = result(0.25, "bb");
  earlier.provenance.input_hashes.clear();
  EXPECT_FALSE(has_note(compare_results(result(0.75, "aa"), earlier), note)) << "nothing is known of its files";
}

}  // namespace
}  // namespace gausscse
