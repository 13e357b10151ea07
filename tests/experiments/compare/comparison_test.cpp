#include "experiments/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/content_hash.hpp"
#include "evaluation/metrics/correlation.hpp"
#include "evaluation/retrieval/retrieval_columns.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "experiments/study/study_records.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/compare/compared_study.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

const MetricComparison& find(const Comparison& comparison, const std::string& task, const std::string& metric) {
  for (const MetricComparison& each : comparison.metrics)
    if (each.task == task && each.metric == metric) return each;
  throw std::logic_error("no metric " + task + "." + metric);
}

/// Returns the numbers from `begin` to before `end`.
std::set<std::size_t> numbers(std::size_t begin, std::size_t end) {
  std::set<std::size_t> all;
  for (std::size_t i = begin; i < end; ++i) all.insert(i);
  return all;
}

/// Two files with one result each, compared.
Comparison compare_results(const RunResult& a, const RunResult& b) {
  const TemporaryFolder folder;
  write_result(folder / "a.h5", a);
  std::filesystem::create_directories(folder / "b");
  write_result(folder / "b/result.h5", b);
  return compare_groups(read_compared_group((folder / "a.h5").string()), read_compared_group((folder / "b").string()));
}

TEST(Comparison, TestsSingleResultsOnTheirItems) {
  // A has 3 pairs alone (20 to 22) and B 12 (0 to 11); they share 30 to 33 as wrong.
  std::set<std::size_t> wrong_a = numbers(0, 12), wrong_b = numbers(20, 23);
  wrong_a.merge(numbers(30, 34));
  wrong_b.merge(numbers(30, 34));
  const Comparison comparison = compare_results(result_of({with_wrong("snli", wrong_a, 100)}, configuration("ent", 5)),
                                                result_of({with_wrong("snli", wrong_b, 100)}, configuration("ent", 6)));
  EXPECT_TRUE(comparison.is_of_single_results());
  const MetricComparison& accuracy = find(comparison, "snli", "accuracy");
  EXPECT_DOUBLE_EQ(accuracy.a.mean, 0.84);
  EXPECT_DOUBLE_EQ(accuracy.b.mean, 0.93);
  EXPECT_NEAR(accuracy.difference, 0.09, 1e-15);
  EXPECT_FALSE(accuracy.welch);
  ASSERT_TRUE(accuracy.items);
  EXPECT_EQ(accuracy.items->only_first, 3);
  EXPECT_EQ(accuracy.items->only_second, 12);
  EXPECT_DOUBLE_EQ(accuracy.items->p, 2 * (1 + 15 + 105 + 455) / 32768.0) << "the exact test";
  EXPECT_TRUE(accuracy.items_of_seeds.empty());
  // Even pairs have directions; by variance those are right that are wrong by similarity.
  const MetricComparison& by_similarity = find(comparison, "snli", "direction_sim");
  EXPECT_EQ(by_similarity.items->only_first, 2);
  EXPECT_EQ(by_similarity.items->only_second, 6);
  const MetricComparison& by_variance = find(comparison, "snli", "direction_var");
  EXPECT_EQ(by_variance.items->only_first, 6);
  EXPECT_EQ(by_variance.items->only_second, 2);
  EXPECT_FALSE(find(comparison, "snli", "threshold").items);
  EXPECT_EQ(find(comparison, "snli", "pairs").unit, Unit::count);
}

TEST(Comparison, TakesChiSquareFromManyDiscordantPairsOn) {
  const auto p = [](std::size_t only_b, std::size_t only_a) {
    const Comparison comparison = compare_results(result_of({with_wrong("snli", numbers(0, only_b), 100)}),
                                                  result_of({with_wrong("snli", numbers(50, 50 + only_a), 100)}));
    return find(comparison, "snli", "accuracy").items->p;
  };
  EXPECT_NEAR(p(25, 10), std::erfc(std::sqrt(14.0 * 14 / 35 / 2)), 1e-12);
  EXPECT_NEAR(p(17, 8), std::erfc(std::sqrt(8.0 * 8 / 25 / 2)), 1e-12) << "25 discordant pairs";
}

TEST(Comparison, TestsGroupsOverSeeds) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const std::string results = folder.path().string();
  const Comparison comparison = compare_groups(read_compared_group(results + ":system=ent"),
                                               read_compared_group(results + ":system=ent+con,stage=final"));
  ASSERT_EQ(comparison.a.trials.size(), 2u);
  ASSERT_EQ(comparison.b.trials.size(), 2u);
  EXPECT_EQ(comparison.notes,
            (std::vector<std::string>{"B lacks the seed 2 of A: left out, so that both are of the same seeds",
                                      "A lacks the seed 3 of B: left out, so that both are of the same seeds"}));
  EXPECT_EQ(comparison.b.notes, (std::vector<std::string>{"final ent+con 16 seed 4 is left out: it is planned"}));
  const MetricComparison& accuracy = find(comparison, "snli", "accuracy");
  EXPECT_EQ(accuracy.a.values, (std::vector<double>{6.0 / 12, 10.0 / 12}));
  EXPECT_DOUBLE_EQ(accuracy.a.mean, 16.0 / 24);
  EXPECT_DOUBLE_EQ(accuracy.b.mean, 20.0 / 24);
  EXPECT_NEAR(accuracy.a.deviation, std::sqrt(8.0) / 12, 1e-14);
  EXPECT_NEAR(accuracy.b.deviation, std::sqrt(2.0) / 12, 1e-14);
  EXPECT_NEAR(accuracy.difference, 4.0 / 24, 1e-14);
  ASSERT_TRUE(accuracy.welch);
  EXPECT_NEAR(accuracy.welch->t, -2 / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(accuracy.welch->degrees, 25.0 / 17, 1e-12);
  ASSERT_TRUE(accuracy.bootstrap) << "of the same seeds as the difference";
  EXPECT_LT(accuracy.bootstrap->interval.low, accuracy.difference);
  EXPECT_GT(accuracy.bootstrap->interval.high, accuracy.difference);
  ASSERT_TRUE(accuracy.items);
  EXPECT_FALSE(accuracy.items->seed);
  EXPECT_EQ(accuracy.items->only_first, 2);
  EXPECT_EQ(accuracy.items->only_second, 6);
  EXPECT_DOUBLE_EQ(accuracy.items->p, 2 * (1 + 8 + 28) / 256.0);
  ASSERT_EQ(accuracy.items_of_seeds.size(), 2u) << "of the seeds that both have";
  EXPECT_EQ(accuracy.items_of_seeds[0].seed, 0);
  EXPECT_EQ(accuracy.items_of_seeds[0].only_first, 0);
  EXPECT_EQ(accuracy.items_of_seeds[0].only_second, 5);
  EXPECT_DOUBLE_EQ(accuracy.items_of_seeds[0].p, 2 / 32.0);
  EXPECT_EQ(accuracy.items_of_seeds[1].seed, 1);
  EXPECT_EQ(accuracy.items_of_seeds[1].only_first, 2);
  EXPECT_EQ(accuracy.items_of_seeds[1].only_second, 1);
}

TEST(Comparison, DoesNotTestItemsOfSeedsThatAreThereTwiceOrInOneGroup) {
  const TemporaryFolder folder;
  write_compared_study(folder.path());
  const std::string results = folder.path().string();
  const auto compare = [&](const std::string& a, const std::string& b) {
    return compare_groups(read_compared_group(results + a), read_compared_group(results + b));
  };
  const Comparison twice = compare(":stage=choose", ":system=ent");
  EXPECT_FALSE(find(twice, "snli", "accuracy").items);
  EXPECT_EQ(twice.notes,
            (std::vector<std::string>{
                "A lacks the seeds 1, 2 of B: left out, so that both are of the same seeds",
                "no test over items: the seed 0 is there 2 times in A and 1 times in B; name more labels"}));
  EXPECT_EQ(find(twice, "snli", "accuracy").b.values.size(), 1u);
  const Comparison other = compare(":system=ent", ":system=ent+con,seed=3");
  EXPECT_FALSE(find(other, "snli", "accuracy").items);
  EXPECT_FALSE(find(other, "snli", "accuracy").welch) << "one value has no variance";
  EXPECT_EQ(other.notes, (std::vector<std::string>{"no test over items: A and B have no seed in common"}));
}

TEST(Comparison, LeavesOutWhatIsNotThere) {
  Measurement sts{"sts12", "sts", false, {{"spearman", std::nan("")}, {"pairs", 10, Unit::count}}, {}, ""};
  Measurement other = sts;
  other.figures[0].value = 0.5;
  const Comparison comparison =
      compare_results(result_of({sts, with_wrong("snli", {1})}), result_of({with_wrong("mnli", {1}), other}));
  EXPECT_EQ(comparison.metrics.size(), 2u);
  const MetricComparison& spearman = find(comparison, "sts12", "spearman");
  EXPECT_TRUE(spearman.a.values.empty());
  EXPECT_TRUE(std::isnan(spearman.a.mean));
  EXPECT_TRUE(std::isnan(spearman.difference));
  EXPECT_EQ(comparison.notes,
            (std::vector<std::string>{"the task \"snli\" is in A only", "the task \"mnli\" is in B only"}));
}

/// Each gets its own gold but for the last pairs, which the second has the wrong way round.
TEST(Comparison, DrawsPairsOfCorrelationsToo) {
  std::vector<double> gold, right, wrong;
  for (int i = 0; i < 40; ++i) {
    gold.push_back(i);
    right.push_back(i);
    wrong.push_back(i < 30 ? i : 69 - i);
  }
  const auto measured = [&](const std::vector<double>& cosine) {
    return Measurement{"stsb",
                       "sts",
                       false,
                       {{"spearman", spearman(cosine, gold)}, {"pairs", 40, Unit::count}},
                       {{sts_columns::cosine, cosine},
                        {sts_columns::gold, gold},
                        {sts_columns::subset, std::vector<std::int64_t>(40, 0)}},
                       ""};
  };
  const Comparison comparison = compare_results(result_of({measured(right)}), result_of({measured(wrong)}));
  const MetricComparison& figure = find(comparison, "stsb", "spearman");
  ASSERT_TRUE(figure.bootstrap);
  // A is 1 in every draw, so that B - A is at most 0, and below it where one of the last ten is drawn against another.
  EXPECT_LT(figure.bootstrap->interval.low, figure.difference);
  EXPECT_GT(figure.bootstrap->interval.high, figure.difference);
  EXPECT_LT(figure.bootstrap->interval.high, 0);
  EXPECT_LT(figure.bootstrap->p, 0.001);
  EXPECT_FALSE(figure.items) << "McNemar's test is of shares";
  EXPECT_FALSE(find(comparison, "stsb", "pairs").bootstrap);
  gold[0] = 40;
  const Comparison other = compare_results(result_of({measured(right)}), result_of({[&] {
                                             Measurement old = measured(wrong);
                                             old.columns.clear();
                                             return old;
                                           }()}));
  EXPECT_FALSE(find(other, "stsb", "spearman").bootstrap) << "one result has no columns";
}

/// The second finds ten of forty queries' documents later.
TEST(Comparison, DrawsQueriesOfRetrieval) {
  const auto measured = [](double of_ten, double documents) {
    std::vector<std::string> names;
    std::vector<double> reciprocal;
    for (int i = 0; i < 40; ++i) {
      names.push_back(concat("q", i));
      reciprocal.push_back(i < 10 ? of_ten : 0.5);
    }
    const double mean = std::accumulate(reciprocal.begin(), reciprocal.end(), 0.0) / 40;
    return Measurement{"found",
                       "retrieval",
                       false,
                       {{"mrr_at_10", mean}, {"queries", 40, Unit::count}, {"documents", documents, Unit::count}},
                       {{retrieval_columns::query, names},
                        {retrieval_columns::relevant, std::vector<std::int64_t>(40, 1)},
                        {"mrr_at_10", reciprocal}},
                       ""};
  };
  const Comparison comparison = compare_results(result_of({measured(1, 90)}), result_of({measured(0.25, 90)}));
  const MetricComparison& figure = find(comparison, "found", "mrr_at_10");
  ASSERT_TRUE(figure.bootstrap);
  EXPECT_NEAR(figure.difference, -0.75 / 4, 1e-12);
  EXPECT_LT(figure.bootstrap->interval.low, figure.difference);
  EXPECT_GT(figure.bootstrap->interval.high, figure.difference);
  EXPECT_LT(figure.bootstrap->interval.high, 0);
  EXPECT_FALSE(find(comparison, "found", "queries").bootstrap);
  EXPECT_TRUE(says(refusal_of([&] { compare_results(result_of({measured(1, 90)}), result_of({measured(1, 91)})); }),
                   "one has 90 documents, the other 91"));
}

TEST(Comparison, HasAveragesOverTheSameTasks) {
  const auto two_tasks = [](const std::set<std::size_t>& wrong) {
    return std::vector<Measurement>{with_wrong("snli", wrong), with_wrong("mnli", {})};
  };
  const Comparison comparison = compare_results(result_of(two_tasks({0, 2, 4})), result_of(two_tasks({})));
  const MetricComparison& average = find(comparison, "average.nli", "accuracy");
  EXPECT_DOUBLE_EQ(average.a.mean, (0.75 + 1) / 2);
  EXPECT_DOUBLE_EQ(average.b.mean, 1);
  EXPECT_FALSE(average.items);
  std::vector<Measurement> third = two_tasks({});
  third.push_back(with_wrong("sick", {}));
  const Comparison other = compare_results(result_of(two_tasks({})), result_of(third));
  EXPECT_THROW(find(other, "average.nli", "accuracy"), std::logic_error);
}

TEST(Comparison, IsRefusedOfOtherItems) {
  const auto refusal = [](const Measurement& a, const Measurement& b) {
    return refusal_of([&] { compare_results(result_of({a}), result_of({b})); });
  };
  const Measurement snli = with_wrong("snli", {1});
  EXPECT_TRUE(says(refusal(snli, with_wrong("snli", {1}, 14)), "their pairs have other labels: they are not the same"));
  EXPECT_TRUE(says(refusal(snli, with_wrong("mnli", {1})), "there is nothing to compare: "));
  Measurement sts = snli;
  sts.kind = "sts";
  EXPECT_TRUE(says(refusal(snli, sts), "one is of the kind nli, the other of sts"));
  sts.columns.clear();
  Measurement longer = sts;
  longer.figures[0].value = 13;
  EXPECT_TRUE(says(refusal(sts, longer), "one has 12 pairs, the other 13"));
  EXPECT_EQ(refusal(sts, sts), "accepted");
}

TEST(Comparison, DoesNotTestItemsThatWereCountedOtherwise) {
  Measurement keep = with_wrong("snli", {0}), drop = keep;
  for (Measurement* each : {&keep, &drop}) {
    std::get<std::vector<std::uint8_t>>(each->columns[5].values)[2] = 1;
    std::get<std::vector<std::uint8_t>>(each->columns[4].values)[1] = 3;
  }
  drop.figures[3].value = 5;  // directed pairs, without the one that entails both ways
  const Comparison comparison = compare_results(result_of({keep}), result_of({drop}));
  EXPECT_TRUE(find(comparison, "snli", "accuracy").items);
  EXPECT_FALSE(find(comparison, "snli", "direction_sim").items);
  ASSERT_EQ(comparison.notes.size(), 2u);
  EXPECT_TRUE(says(comparison.notes[0], "no test over items of snli.direction_sim: "));
  EXPECT_TRUE(says(comparison.notes[0], "counted 6 pairs in one result and 5 in the other"));
}

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

TEST(Comparison, ReportsSettingsThatChangeFigures) {
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
  b.configuration = to_yaml(testing_support::parse(
      "format: gausscse-trial/2\nmodel: {backbone: {path: other}}\ndata: {train: [t.jsonl, u.jsonl]}\noutput: x\n"
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

/// Values of the backbones, and a note where their weights differ, which the initial weights do with each seed.
TEST(Comparison, HasTheBackbonesOfBoth) {
  const auto result = [](double accuracy, const std::string& weights) {
    RunResult made = result_of({with_wrong("snli", {0}), with_wrong("mnli", {0})}, configuration("ent", 0));
    StateResult backbone{backbone_state, 0, made.states.front().tasks};
    for (Measurement& task : backbone.tasks) {
      task.columns.clear();
      task.figures = {{"accuracy", task.task == "snli" ? accuracy : 0.5}};
    }
    made.states.push_back(backbone);
    made.provenance.data_hashes = {{"the initial weights", weights + "with a head"}};
    made.provenance.input_hashes = {{"model.backbone/model.safetensors", weights}, {"data.train/1", weights}};
    return made;
  };
  const Comparison same = compare_results(result(0.75, "aa"), result(0.75, "aa"));
  EXPECT_EQ(find(same, "snli", "accuracy").backbone_a, 0.75);
  EXPECT_EQ(find(same, "snli", "accuracy").backbone_b, 0.75);
  EXPECT_FALSE(find(same, "snli", "pairs").backbone_a);
  EXPECT_EQ(find(same, "average.nli", "accuracy").backbone_b, 0.625);
  EXPECT_TRUE(same.notes.empty());
  const Comparison other = compare_results(result(0.75, "aa"), result(0.25, "bb"));
  EXPECT_EQ(find(other, "snli", "accuracy").backbone_b, 0.25);
  EXPECT_EQ(other.notes,
            (std::vector<std::string>{"A and B began with different backbones: compare each with its own"}));
  EXPECT_EQ(lines_of(other.provenance),
            (std::vector<std::string>{"the initial weights: aawith a head; | bbwith a head;",
                                      "model.backbone/model.safetensors: aa; | bb;"}));
  RunResult earlier = result(0.25, "bb");
  earlier.provenance.input_hashes.clear();
  EXPECT_TRUE(compare_results(result(0.75, "aa"), earlier).notes.empty()) << "nothing is known of its files";
}

TEST(Comparison, ReadsConfigurationsOfOtherVersionsAsTheyAre) {
  const Comparison comparison = compare_results(result_of({with_wrong("snli", {})}, "old: {key: [1, 2]}\nsame: x\n"),
                                                result_of({with_wrong("snli", {})}, "same: x\nnew: {}\n"));
  EXPECT_EQ(lines_of(comparison.configuration), (std::vector<std::string>{"old.key: [1, 2]; | "}));
  EXPECT_TRUE(find(comparison, "snli", "accuracy").items);
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
