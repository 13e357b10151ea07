#include "experiments/worker/trial_costs.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

Trial trial_of(std::int64_t batch_size) {
  Trial trial;
  trial.model.backbone.path = "/models/minilm";
  trial.data.train = {"/data/train.csv"};
  trial.objective.loss = Loss::ent_con;
  trial.training.batch_size = batch_size;
  trial.tasks = {{.name = "dev", .eval_every = 50, .of_kind = NliTaskSettings{.file = "/data/dev.jsonl"}}};
  trial.select = {"dev", "auprc"};
  trial.output = "/results";
  return trial;
}

using Changes = std::vector<std::function<void(Trial&)>>;

/// Returns the number, from 1, of the first change after which a trial is of another kind or, for `same` false, is of
/// the same; 0 where there is none.
std::size_t first_exception(const Trial& trial, const Changes& changes, bool same) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Trial changed = trial;
    changes[i](changed);
    if (changed == trial || (cost_kind(changed) == cost_kind(trial)) != same) return i + 1;
  }
  return 0;
}

/// Keys have their effects; a loss costs by the number of sentences of an example, and a choice of a state by its being
/// made.
TEST(CostKind, LeavesOutWhatChangesNoCostAndKeepsTheRest) {
  const Changes same{[](Trial& t) { t.objective.loss = Loss::ent_con_rev; }, [](Trial& t) { t.training.seed = 7; },
                     [](Trial& t) { t.training.checkpoint_every = 7; }, [](Trial& t) { t.output = "/elsewhere"; },
                     [](Trial& t) {
                       t.select = {"test", "accuracy"};
                     }};
  EXPECT_EQ(first_exception(trial_of(64), same, true), 0u);
  const Changes others{[](Trial& t) { t.objective.loss = Loss::ent_rev; }, [](Trial& t) { t.training.batch_size = 7; },
                       [](Trial& t) { t.device = setting::Device::cuda; }, [](Trial& t) { t.tasks.pop_back(); },
                       [](Trial& t) { t.select = {}; }};
  EXPECT_EQ(first_exception(trial_of(64), others, false), 0u);
}

TEST(CostKind, OfASumIsThatOfItsComputedTerms) {
  Trial trial = trial_of(64);
  trial.objective = {.kind = ObjectiveKind::sum,
                     .terms = {{"a", 0.5, {.kind = ObjectiveKind::supervised_contrastive, .positives = 3}},
                               {"b", 0, {.kind = ObjectiveKind::augmented_classification}}}};
  const Changes same{[](Trial& t) { t.objective.terms[0].weight = 0.1; },
                     [](Trial& t) { t.objective.terms[0].name = "d"; },
                     [](Trial& t) { t.objective.terms[0].objective.temperature = 0.1; },
                     [](Trial& t) { t.objective.terms.pop_back(); }};
  EXPECT_EQ(first_exception(trial, same, true), 0u);
  const Changes others{[](Trial& t) { t.objective.terms[1].weight = 1; },
                       [](Trial& t) { t.objective.terms[0].objective.positives = 4; }};
  EXPECT_EQ(first_exception(trial, others, false), 0u);
}

TEST(TrialCosts, AreMediansOfTheKindOnAsManyRanksAndThreads) {
  Resources resources;
  resources.ranks = 4;
  resources.threads = 2;
  TrialCosts costs(resources);
  const auto learn = [&](double seconds, std::uint64_t disk_bytes, std::int64_t ranks, std::int64_t threads) {
    Trial trial = trial_of(64);
    trial.training.seed = static_cast<std::int64_t>(seconds);
    RunRecord run;
    run.seconds = seconds;
    run.disk_bytes = disk_bytes;
    run.gpu_memory_share = seconds / 2000;
    run.ranks = ranks;
    run.threads = threads;
    costs.learn(trial, run);
  };
  learn(1, 1, 2, 2);
  learn(1, 1, 4, 1);
  EXPECT_FALSE(costs.expected(trial_of(64)));
  for (const double seconds : {20.0, 1000.0, 10.0}) learn(seconds, static_cast<std::uint64_t>(7 * seconds), 4, 2);
  ASSERT_TRUE(costs.expected(trial_of(64)));
  EXPECT_EQ(costs.expected(trial_of(64))->seconds, 20);
  EXPECT_EQ(costs.expected(trial_of(64))->disk_bytes, 140);
  EXPECT_EQ(costs.expected(trial_of(64))->gpu_memory_share, 0.5) << "the most";
  EXPECT_FALSE(costs.expected(trial_of(32)));
  learn(30, 1, 4, 2);
  EXPECT_EQ(costs.expected(trial_of(64))->seconds, 25);
}

}  // namespace
}  // namespace gausscse
