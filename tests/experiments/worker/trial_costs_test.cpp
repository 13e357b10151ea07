#include "experiments/worker/trial_costs.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

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

TEST(CostKind, LeavesOutWhatChangesNoCost) {
  const Changes changes{[](Trial& t) { t.recipe = setting::Recipe::paper; },
                        [](Trial& t) { t.model.head.mean = MeanActivation::linear; },
                        [](Trial& t) { t.objective.temperature = 1; },
                        [](Trial& t) { t.objective.loss = Loss::ent_con_rev; },
                        [](Trial& t) { t.objective.hard_negative_weight = 1; },
                        [](Trial& t) { t.data.cache = "/cache"; },
                        [](Trial& t) { t.training.learning_rate = 1; },
                        [](Trial& t) { t.training.warmup_ratio = 1; },
                        [](Trial& t) { t.training.weight_decay = 1; },
                        [](Trial& t) { t.training.decay_biases_and_norms = false; },
                        [](Trial& t) { t.training.schedule = setting::Schedule::linear_increase; },
                        [](Trial& t) { t.training.seed = 7; },
                        [](Trial& t) { t.training.clip_norm = 1; },
                        [](Trial& t) { t.training.epsilon = 1; },
                        [](Trial& t) { t.training.checkpoint_every = 7; },
                        [](Trial& t) { t.training.checkpoint_minutes = 7; },
                        [](Trial& t) { t.training.virtual_shards = 7; },
                        [](Trial& t) { t.evaluation.auprc = setting::Auprc::sweep; },
                        [](Trial& t) {
                          t.select = {"test", "accuracy"};
                        },
                        [](Trial& t) { t.output = "/elsewhere"; }};
  EXPECT_EQ(first_exception(trial_of(64), changes, true), 0u);
}

TEST(CostKind, KeepsTheRest) {
  const Changes changes{
      [](Trial& t) { t.model.backbone.path = "/models/bert"; },
      [](Trial& t) { t.model.pooling = PoolingKind::mean; },
      [](Trial& t) { t.model.head.kind = HeadKind::none; },
      [](Trial& t) { t.objective.kind = ObjectiveKind::cosine_contrastive; },
      [](Trial& t) { t.objective.loss = Loss::ent_rev; },
      [](Trial& t) { t.objective.with_simcse = true; },
      [](Trial& t) { t.device = setting::Device::cuda; },
      [](Trial& t) { t.data.train = {"/data/other.csv"}; },
      [](Trial& t) { t.training.epochs = 7; },
      [](Trial& t) { t.training.batch_size = 7; },
      [](Trial& t) { t.training.max_steps = 7; },
      [](Trial& t) { t.training.max_tokens = 32; },
      [](Trial& t) { t.training.precision = Precision::full; },
      [](Trial& t) { t.training.micro_batch = 8; },
      [](Trial& t) { t.tasks.pop_back(); },
      [](Trial& t) { t.tasks[0].eval_every = 100; },
      [](Trial& t) { t.select = {}; },
  };
  EXPECT_EQ(first_exception(trial_of(64), changes, false), 0u);
  Trial sharded = trial_of(64);
  sharded.reproducibility = setting::Reproducibility::rank_invariant;
  EXPECT_EQ(first_exception(sharded, {[](Trial& t) { t.training.virtual_shards = 16; }}, false), 0u);
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
  EXPECT_FALSE(costs.expected(trial_of(32)));
  learn(30, 1, 4, 2);
  EXPECT_EQ(costs.expected(trial_of(64))->seconds, 25);
}

}  // namespace
}  // namespace gausscse
