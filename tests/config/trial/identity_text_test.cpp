#include "config/trial/trial_identity.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A key that is added must not appear here: give it a default with which the program computes as before.
TEST(IdentityText, HasNoDefaults) {
  EXPECT_EQ(identity_text(parse(std::string(minimal_trial))),
            R"({model: {backbone: {path: "/model.backbone"}}, data: {train: ["/data.train/1"]}, output: "/output"})"
            "\n");
}

TEST(IdentityText, HasWhatIsNotTheDefaultOfTheMemberWhicheverTheRecipe) {
  EXPECT_EQ(identity_text(parse(with("recipe: paper"), {"training.epochs=1", "training.seed=7"})),
            R"({recipe: paper, model: {backbone: {path: "/model.backbone"}, head: {mean: linear}}, )"
            R"(objective: {similarity: joint}, data: {train: ["/data.train/1"]}, )"
            R"(training: {schedule: linear_increase, seed: 7}, )"
            R"(evaluation: {two_way_pairs: drop, auprc: sweep}, output: "/output"})"
            "\n");
}

TEST(IdentityText, HasTheFractionOfHeldOutExamples) {
  EXPECT_EQ(identity_text(parse(with("tasks: {dev: {kind: nli, eval_every: 5}}"), {"data.dev_fraction=0.1"})),
            R"({model: {backbone: {path: "/model.backbone"}}, data: {train: ["/data.train/1"], dev_fraction: 0.1}, )"
            R"(output: "/output"})"
            "\ntask dev, nli: {eval_every: 5}\n");
}

TEST(IdentityText, NamesKindsOfTermsAndTasks) {
  const std::string trial = with(R"(recipe: liao
objective:
  kind: sum
  terms:
    labels: {kind: pair_classification, weight: 0.5}
    pairs: {kind: supervised_contrastive, temperature: 1, positives: 3}
tasks:
  dev: {kind: nli, files: dev.jsonl, eval_every: 10, threshold: own}
  sts: {kind: sts, files: sts-test.csv}
)");
  const std::string text = identity_text(parse(trial));
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            R"(term labels, pair_classification: {weight: 0.5}
term pairs, supervised_contrastive: {positives: 3}
task dev, nli: {files: "/tasks.dev/1", eval_every: 10}
task sts, sts: {files: ["/tasks.sts/1"]}
)");
}

TEST(IdentityText, IsTheSameForOneMeaningWrittenInTwoWays) {
  EXPECT_EQ(identity_text(parse(with("training: {batch_size: 64, dropout: from_config}"))),
            identity_text(parse(std::string(minimal_trial))));
  EXPECT_NE(identity_text(parse(with("training: {dropout: 0}"))), identity_text(parse(std::string(minimal_trial))));
}

}  // namespace
}  // namespace gausscse
