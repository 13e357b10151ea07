#include "experiments/grid/trial_costs_kind.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/experiments/grid/cost_law.hpp"

namespace gausscse {
namespace {

using testing_support::trial_of;
using Change = std::pair<std::string, std::function<void(Trial&)>>;

TEST(CostKind, LeavesOutWhatChangesNoCostAndSizes) {
  const Trial trial = trial_of(64);
  const std::vector<Change> changes{
      {"recipe", [](Trial& t) { t.recipe = setting::Recipe::paper; }},
      {"mean", [](Trial& t) { t.model.head.mean = MeanActivation::linear; }},
      {"temperature", [](Trial& t) { t.objective.temperature = 1; }},
      {"loss of as many roles", [](Trial& t) { t.objective.loss = Loss::ent_con_rev; }},
      {"what its objective has no use for", [](Trial& t) { t.objective.directions = Directions::both; }},
      {"cache", [](Trial& t) { t.data.cache = "/cache"; }},
      {"epochs", [](Trial& t) { t.training.epochs = 7; }},
      {"batch_size", [](Trial& t) { t.training.batch_size = 7; }},
      {"max_steps", [](Trial& t) { t.training.max_steps = 7; }},
      {"learning_rate", [](Trial& t) { t.training.learning_rate = 1; }},
      {"warmup_ratio", [](Trial& t) { t.training.warmup_ratio = 1; }},
      {"weight_decay", [](Trial& t) { t.training.weight_decay = 1; }},
      {"decay_biases_and_norms", [](Trial& t) { t.training.decay_biases_and_norms = false; }},
      {"schedule", [](Trial& t) { t.training.schedule = setting::Schedule::linear_increase; }},
      {"seed", [](Trial& t) { t.training.seed = 7; }},
      {"clip_norm", [](Trial& t) { t.training.clip_norm = 1; }},
      {"epsilon", [](Trial& t) { t.training.epsilon = 1; }},
      {"checkpoint_every", [](Trial& t) { t.training.checkpoint_every = 7; }},
      {"checkpoint_minutes", [](Trial& t) { t.training.checkpoint_minutes = 7; }},
      {"virtual_shards without use", [](Trial& t) { t.training.virtual_shards = 7; }},
      {"scoring", [](Trial& t) { t.evaluation.auprc = setting::Auprc::sweep; }},
      {"selecting figure",
       [](Trial& t) {
         t.select = {"test", "accuracy"};
       }},
      {"output", [](Trial& t) { t.output = "/elsewhere"; }}};
  for (const auto& [name, change] : changes) {
    Trial other = trial;
    change(other);
    EXPECT_FALSE(other == trial) << name;
    EXPECT_TRUE(cost_kind(other) == cost_kind(trial)) << name;
  }
}

TEST(CostKind, OfLabelledPairsKeepsLimitsAndTermsThatAreComputed) {
  Trial trial = trial_of(64);
  trial.objective = {.kind = ObjectiveKind::sum,
                     .terms = {{"a", 0.5, {.kind = ObjectiveKind::pair_classification}},
                               {"b", 0.5, {.kind = ObjectiveKind::supervised_contrastive, .positives = 3}},
                               {"c", 0, {.kind = ObjectiveKind::augmented_classification}}}};
  const auto is_of_kind = [&](const std::function<void(ObjectiveSettings&)>& change) {
    Trial other = trial;
    change(other.objective);
    return cost_kind(other) == cost_kind(trial);
  };
  EXPECT_TRUE(is_of_kind([](ObjectiveSettings& o) { o.terms[0].weight = 0.1; }));
  EXPECT_TRUE(is_of_kind([](ObjectiveSettings& o) { o.terms[1].objective.temperature = 0.1; }));
  EXPECT_TRUE(is_of_kind([](ObjectiveSettings& o) { o.terms[1].name = "d"; }));
  EXPECT_TRUE(is_of_kind([](ObjectiveSettings& o) { o.terms.pop_back(); }));
  EXPECT_FALSE(is_of_kind([](ObjectiveSettings& o) { o.terms[2].weight = 1; }));
  EXPECT_FALSE(is_of_kind([](ObjectiveSettings& o) { o.terms[1].objective.positives.reset(); }));
  EXPECT_FALSE(is_of_kind([](ObjectiveSettings& o) { o.terms[1].objective.negatives = 2; }));
  EXPECT_FALSE(is_of_kind([](ObjectiveSettings& o) { o.terms.erase(o.terms.begin()); }));
}

TEST(CostKind, KeepsWhatChangesCosts) {
  const Trial trial = trial_of(64);
  const std::vector<Change> changes{
      {"backbone", [](Trial& t) { t.model.backbone.path = "/models/bert"; }},
      {"architecture", [](Trial& t) { t.model.backbone.architecture = setting::Architecture::bert_base; }},
      {"pooling", [](Trial& t) { t.model.pooling = PoolingKind::mean; }},
      {"head", [](Trial& t) { t.model.head.kind = HeadKind::none; }},
      {"objective", [](Trial& t) { t.objective.kind = ObjectiveKind::cosine_contrastive; }},
      {"loss of fewer roles", [](Trial& t) { t.objective.loss = Loss::ent_rev; }},
      {"similarity", [](Trial& t) { t.objective.similarity = Similarity::joint; }},
      {"with_simcse", [](Trial& t) { t.objective.with_simcse = true; }},
      {"reproducibility", [](Trial& t) { t.reproducibility = setting::Reproducibility::rank_invariant; }},
      {"device", [](Trial& t) { t.device = setting::Device::cuda; }},
      {"train", [](Trial& t) { t.data.train = {"/data/other.csv"}; }},
      {"examples", [](Trial& t) { t.data.examples = ExampleKind::entailment_pairs; }},
      {"last_batch", [](Trial& t) { t.data.last_batch = setting::LastBatch::keep; }},
      {"max_tokens", [](Trial& t) { t.training.max_tokens = 32; }},
      {"precision", [](Trial& t) { t.training.precision = Precision::full; }},
      {"micro_batch", [](Trial& t) { t.training.micro_batch = 8; }},
      {"exchange", [](Trial& t) { t.training.exchange = setting::Exchange::ring; }},
      {"dropout", [](Trial& t) { t.training.dropout = 0; }},
      {"tasks", [](Trial& t) { t.tasks.pop_back(); }},
      {"eval_every", [](Trial& t) { t.tasks[0].eval_every = 100; }},
      {"select", [](Trial& t) { t.select = {}; }}};
  for (const auto& [name, change] : changes) {
    Trial other = trial;
    change(other);
    EXPECT_FALSE(cost_kind(other) == cost_kind(trial)) << name;
  }
  Trial cosine = trial;
  cosine.objective.kind = ObjectiveKind::cosine_contrastive;
  Trial both = cosine;
  both.objective.directions = Directions::both;
  EXPECT_FALSE(cost_kind(both) == cost_kind(cosine));
  Trial without = cosine;
  without.objective.hard_negatives = false;
  EXPECT_FALSE(cost_kind(without) == cost_kind(cosine));
  Trial other_loss = cosine;
  other_loss.objective.loss = Loss::ent;
  EXPECT_TRUE(cost_kind(other_loss) == cost_kind(cosine));
  Trial sharded = trial;
  sharded.reproducibility = setting::Reproducibility::rank_invariant;
  Trial finer = sharded;
  finer.training.virtual_shards = 16;
  EXPECT_FALSE(cost_kind(finer) == cost_kind(sharded));
}

TEST(PeriodicMeasurements, AreBeforeEachStepThatIsAMultiple) {
  Trial trial = trial_of(64);
  EXPECT_EQ(periodic_measurements(trial, 0), 0);
  EXPECT_EQ(periodic_measurements(trial, 1), 1);
  EXPECT_EQ(periodic_measurements(trial, 50), 1);
  EXPECT_EQ(periodic_measurements(trial, 51), 2);
  trial.tasks[1].eval_every = 20;
  EXPECT_EQ(periodic_measurements(trial, 51), 5);
}

TEST(StepsPerEpoch, CountAnIncompleteBatchOnlyWhereItIsKept) {
  Trial trial = trial_of(10);
  EXPECT_EQ(steps_per_epoch(trial, 39), 3);
  EXPECT_EQ(steps_per_epoch(trial, 40), 4);
  trial.data.last_batch = setting::LastBatch::keep;
  EXPECT_EQ(steps_per_epoch(trial, 40), 4);
  EXPECT_EQ(steps_per_epoch(trial, 41), 5);
}

}  // namespace
}  // namespace gausscse
