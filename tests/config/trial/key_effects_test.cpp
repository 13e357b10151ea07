#include "config/trial/trial_keys.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Names = std::set<std::string>;

template <typename Record>
Names keys_of(const Keys<Record>& keys, const Record& record, Effect effect) {
  Names names;
  for (const Key<Record>& key : keys)
    if (key.effect(record) == effect) names.insert(key.name);
  return names;
}

/// Any other key changes metrics and cost. A key in a wrong list here would do finished work again, or pass the work of
/// another trial off as its own.
TEST(KeyEffects, OfATrial) {
  const Trial trial;
  EXPECT_EQ(keys_of(trial_keys(), trial, Effect::place),
            (Names{"data.cache", "output", "training.checkpoint_every", "training.checkpoint_minutes",
                   "training.keep_checkpoint", "training.tensorboard", "training.virtual_shards"}));
  EXPECT_EQ(keys_of(trial_keys(), trial, Effect::speed),
            (Names{"device", "evaluation.backbone", "model.sentence_transformers", "training.exchange",
                   "training.micro_batch"}));
  EXPECT_EQ(keys_of(trial_keys(), trial, Effect::result), (Names{"recipe",
                                                                 "model.head.mean",
                                                                 "model.head.scale",
                                                                 "model.head.log_var_start",
                                                                 "objective.temperature",
                                                                 "objective.false_negatives",
                                                                 "objective.hard_negative_weight",
                                                                 "objective.activation",
                                                                 "objective.other_premise_label",
                                                                 "training.learning_rate",
                                                                 "training.head_learning_rate",
                                                                 "training.warmup_ratio",
                                                                 "training.weight_decay",
                                                                 "training.decay_biases_and_norms",
                                                                 "training.schedule",
                                                                 "training.seed",
                                                                 "training.clip_norm",
                                                                 "training.epsilon",
                                                                 "evaluation.two_way_pairs",
                                                                 "evaluation.no_gold_label",
                                                                 "evaluation.auprc",
                                                                 "select.figure",
                                                                 "select.from_step"}));
  EXPECT_EQ(
      keys_of(objective_term_keys(), ObjectiveTerm(), Effect::result),
      (Names{"weight", "temperature", "false_negatives", "hard_negative_weight", "activation", "other_premise_label"}));
}

TEST(KeyEffects, DependOnOtherKeys) {
  Trial trial;
  trial.training.max_steps = 10;
  EXPECT_TRUE(keys_of(trial_keys(), trial, Effect::result).contains("training.epochs"));
  trial.reproducibility = setting::Reproducibility::rank_invariant;
  EXPECT_TRUE(keys_of(trial_keys(), trial, Effect::result_and_speed).contains("training.virtual_shards"));
}

TEST(KeyEffects, ThatDoNotCountLeaveTheDefault) {
  Trial trial;
  trial.device = setting::Device::cuda;
  trial.training.seed = 7;
  trial.training.batch_size = 7;
  trial.data.cache = "/cache";
  const Trial result = without_effects(trial_keys(), trial, changes_result);
  EXPECT_EQ(result.device, Trial().device);
  EXPECT_EQ(result.data.cache, "");
  EXPECT_EQ(result.training.seed, 7);
  EXPECT_EQ(result.training.batch_size, 7);
  const Trial speed = without_effects(trial_keys(), trial, changes_speed);
  EXPECT_EQ(speed.device, setting::Device::cuda);
  EXPECT_EQ(speed.data.cache, "");
  EXPECT_EQ(speed.training.seed, 0);
  EXPECT_EQ(speed.training.batch_size, 7);
}

}  // namespace
}  // namespace gausscse
