#include "experiments/training/model_card.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/results/sample_result.hpp"
#include "tests/experiments/trial/minimal_trial.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::minimal_trial;
using testing_support::parse;
using testing_support::sample_result;
using testing_support::says;

TEST(ModelCard, SaysHowItWasTrainedAndWhatItScored) {
  const Trial trial = parse(std::string(minimal_trial), {"recipe=paper", "loss=ent+rev", "training.batch_size=48",
                                                         "training.learning_rate=0.001", "training.seed=7"});
  const std::string card = model_card(trial, sample_result().states[0]);
  EXPECT_EQ(card.find("---\ntags:\n"), 0u);
  for (const char* text :
       {"library_name: gausscse\n---\n", "the two linear layers for mean (linear) and log-variance",
        "Trained with loss `ent+rev`, similarity `joint`, batch size 48, learning rate 0.001, seed 7.",
        "State: last, after 2 steps.", "Similarity from 0.613 on counts as entailment (chosen on dev).",
        "| set | pairs | accuracy % | threshold | AUPRC % | directed pairs | direction by similarity % | by variance % "
        "| "
        "by length % |\n|---|---|---|---|---|---|---|---|---|\n"
        "| dev | 4 | 75.00 | 0.613 | 55.12 | 2 | 50.00 | 100.00 | 92.64 |\n"
        "| snli | 2 | 33.33 | 0.613 | 55.12 | 2 | - | 100.00 | 92.64 |\n"
        "| mnli | 4 | 75.00 | 0.613 | 55.12 | 2 | 50.00 | 100.00 | 92.64 |\n"
        "| average | - | 54.17 | - | 55.12 | - | - | 100.00 | 92.64 |\n",
        "    gausscse encode MODEL_DIR sentences.txt embeddings.h5\n"})
    EXPECT_TRUE(says(card, text));
}

TEST(ModelCard, SaysWhatStandsForASentenceAndHowPythonOpensIt) {
  const auto card = [](const char* pooling) {
    return model_card(parse(std::string(minimal_trial), {concat("pooling=", pooling)}), sample_result().states[1]);
  };
  EXPECT_TRUE(says(card("first_token"), "a sentence's vector is the last hidden state of its first token\n"));
  EXPECT_TRUE(says(card("mean"), "a sentence's vector is the mean of its tokens' last hidden states\n"));
  EXPECT_TRUE(says(card("max"), "is the maximum of its tokens'"));
  EXPECT_TRUE(says(card("max"), "model.encode(sentences, output_value=\"log_variance\")"));
  EXPECT_TRUE(says(card("mean_without_first"), "without the first token's"));
  EXPECT_EQ(card("mean_without_first").find("SentenceTransformer"), std::string::npos);
}

TEST(ModelCard, OfOneTestHasNoAverage) {
  const std::string card = model_card(parse(std::string(minimal_trial)), sample_result().states[1]);
  EXPECT_TRUE(says(card, "State: best, after 0 steps."));
  EXPECT_TRUE(says(card, "for mean (tanh)"));
  EXPECT_EQ(card.find("| average"), std::string::npos);
}

}  // namespace
}  // namespace gausscse
