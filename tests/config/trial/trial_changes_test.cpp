#include "config/trial/trial_changes.hpp"

#include "config/trial/trial_identity.hpp"
#include "config/trial/trial_keys.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

const std::string measured = with(
    "tasks: {dev: {kind: nli, files: d, eval_every: 5}, test: {kind: nli, files: t, threshold: dev},\n"
    "  sts: {kind: sts, files: s}}\nselect: {task: dev, figure: auprc}\ntraining: {max_steps: 20}");

TEST(ChangeableKeys, AreThoseOfWhatIsLeftToTrainAndOfWhatChangesNoMetric) {
  const Texts keys = changeable_keys(Trial());
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()), (std::set<std::string>{"data.cache",
                                                                                    "device",
                                                                                    "evaluation.backbone",
                                                                                    "model.sentence_transformers",
                                                                                    "output",
                                                                                    "select.figure",
                                                                                    "select.from_step",
                                                                                    "select.patience",
                                                                                    "select.task",
                                                                                    "tasks",
                                                                                    "training.checkpoint_every",
                                                                                    "training.checkpoint_minutes",
                                                                                    "training.epochs",
                                                                                    "training.exchange",
                                                                                    "training.head_learning_rate",
                                                                                    "training.keep_checkpoint",
                                                                                    "training.learning_rate",
                                                                                    "training.max_steps",
                                                                                    "training.micro_batch",
                                                                                    "training.schedule",
                                                                                    "training.tensorboard",
                                                                                    "training.virtual_shards",
                                                                                    "training.warmup_ratio"}));
  Trial invariant;
  invariant.reproducibility = setting::Reproducibility::rank_invariant;
  for (const std::string& key : changeable_keys(invariant)) EXPECT_NE(key, "training.virtual_shards");
}

TEST(ChangesBetween, HaveBothValues) {
  const Trial earlier = parse(measured);
  EXPECT_EQ(changes_between(earlier, earlier), Texts());
  EXPECT_EQ(changes_between(earlier, parse(measured, {"training.max_steps=40", "training.learning_rate=1e-6",
                                                      "training.head_learning_rate=1e-3",
                                                      "training.schedule=warmup_constant", "tasks.sts.year=14",
                                                      "output=elsewhere", "device=cuda", "data.train=moved.jsonl"})),
            (Texts{"training.learning_rate: 3e-05, now 1e-06", "training.head_learning_rate: same, now 0.001",
                   "training.schedule: warmup_decay, now warmup_constant", "training.max_steps: 20, now 40",
                   "tasks: changed"}));
  EXPECT_EQ(changes_between(canonical_trial(earlier), earlier), Texts()) << "paths have roles in a checkpoint";
}

/// Every key with another effect than on the steps that are left is named, with those that may change.
TEST(ChangesBetween, RefuseWhatTheStepsThatAreDoneDependOn) {
  const Trial earlier = parse(measured);
  for (const auto& [override_text, change] : std::vector<std::pair<std::string, std::string>>{
           {"training.seed=7", "training.seed: 0, now 7"},
           {"training.parameters={from_layer: 3}", "training.parameters: all, now {from_layer: 3}"},
           {"training.batch_size=8", "training.batch_size: 64, now 8"},
           {"training.precision=fp32", "training.precision: bf16, now fp32"},
           {"training.weight_decay=0.5", "training.weight_decay: 0.01, now 0.5"},
           {"training.max_tokens=9", "training.max_tokens: 64, now 9"},
           {"training.clip_norm=2", "training.clip_norm: 0, now 2"},
           {"objective.temperature=0.5", "objective.temperature: 0.05, now 0.5"},
           {"model.pooling=mean", "model.pooling: first_token, now mean"},
           {"data.order=file", "data.order: shuffled, now file"},
           {"data.last_batch=keep", "data.last_batch: drop, now keep"},
           {"evaluation.auprc=sweep", "evaluation.auprc: "},
           {"data.columns.premise=p", "data.columns.premise: none, now \"p\""},
           {"reproducibility=rank_invariant", "reproducibility: fast, now rank_invariant"}}) {
    const std::string refusal =
        refusal_of([&, text = override_text] { changes_between(earlier, parse(measured, {text})); });
    EXPECT_TRUE(says(refusal, "a run that continues another may not change " + change)) << override_text;
    EXPECT_TRUE(
        says(refusal, "these keys may change: model.sentence_transformers, device, data.cache, training.epochs, "));
  }
  const Trial both = parse(measured, {"training.seed=7", "training.batch_size=8", "training.max_steps=40"});
  const std::string refusal = refusal_of([&] { changes_between(earlier, both); });
  EXPECT_TRUE(says(refusal, "change training.batch_size: 64, now 8; training.seed: 0, now 7: give"));
}

TEST(TasksInCommon, MeasureTheSameOfTheSameFiles) {
  const Trial earlier = parse(measured);
  const auto common = [&](const Texts& overrides, const std::string& other_files = "") {
    return tasks_in_common(earlier, parse(measured, overrides),
                           [&](const std::string& task) { return task != other_files; });
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(common({}), (Names{"dev", "sts", "test"}));
  EXPECT_EQ(common({"tasks.dev.eval_every=1", "tasks.sts.files=moved"}), (Names{"dev", "sts", "test"}));
  EXPECT_EQ(common({"tasks.more={kind: sts, files: m}"}), (Names{"dev", "sts", "test"}));
  EXPECT_EQ(common({"tasks.sts.year=14"}), (Names{"dev", "test"}));
  EXPECT_EQ(common({}, "sts"), (Names{"dev", "test"}));
  EXPECT_EQ(common({}, "dev"), (Names{"sts"})) << "test has dev's threshold";
  EXPECT_EQ(common({"tasks.dev.auprc=sweep"}), (Names{"sts"}));
  EXPECT_EQ(common({"tasks.test.threshold=0.5"}), (Names{"dev", "sts"}));
}

}  // namespace
}  // namespace gausscse
