#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "dist/monitored_communicator.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// A loss of two roles that is given all three, and says that the third has no gradient.
class WithAllRoles : public Objective {
 public:
  explicit WithAllRoles(const Objective& objective) : objective_(objective) {}
  std::int64_t roles() const override { return 3; }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput&) const override {
    throw std::logic_error("candidates are all at hand");
  }
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override {
    gradient.embeddings.narrow(0, 2, 1).zero_();
    return objective_.evaluate({input.embeddings.narrow(0, 0, 2)}, own, {gradient.embeddings.narrow(0, 0, 2)});
  }

 private:
  const Objective& objective_;
};

/// Dropout, too, is that of the step with all sentences.
TEST(TrainingStepRoles, ThatTheLossDoesNotNeedChangeNothingAndAreNotEmbedded) {
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  const auto tokens = [&](std::size_t roles) {
    return static_cast<std::int64_t>(sentences.offsets[roles * static_cast<std::size_t>(batch_size)]);
  };
  const auto shares = ways_to_share(ranks->size()).back();
  for (const Loss loss : {Loss::ent, Loss::ent_rev}) {
    const ConfiguredObjective needed({.loss = loss});
    const WithAllRoles all(needed);
    for (const std::int64_t micro_batch : {0, 2}) {
      const auto settings = small_settings(EncoderConfig::Architecture::bert, at::kDouble);
      SentenceEncoder fewer(settings), more(settings);
      for (SentenceEncoder* encoder : {&fewer, &more}) randomize(encoder->parameters(), 1);
      const auto of_fewer =
          run_step(TrainingStep(fewer, needed, *ranks, {3, true, micro_batch}), 5, shares, reader_of(sentences, 2));
      const auto of_all =
          run_step(TrainingStep(more, all, *ranks, {3, true, micro_batch}), 5, shares, reader_of(sentences));
      EXPECT_EQ(of_fewer.tokens, tokens(2));
      EXPECT_EQ(of_all.tokens, tokens(3));
      EXPECT_NEAR(of_fewer.loss, of_all.loss, 1e-12);
      const at::Tensor &gradient = fewer.parameters().gradients(), truth = more.parameters().gradients();
      EXPECT_LE((gradient - truth).abs().max().item<double>(), 1e-12 * truth.abs().max().item<double>());
    }
  }
}

/// Takes nothing from the embeddings, and keeps the integers that it is given.
class LabelProbe : public Objective {
 public:
  std::int64_t roles() const override { return 2; }
  bool needs_labels() const override { return true; }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput&) const override {
    throw std::logic_error("candidates are all at hand");
  }
  at::Tensor evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override {
    check(input, own, gradient);
    gradient.embeddings.zero_();
    labels = input.labels;
    return at::zeros({}, at::kDouble);
  }

  mutable ExampleLabels labels;
};

TEST(TrainingStepLabels, AreThoseOfTheWholeBatchOnEveryRank) {
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  randomize(encoder.parameters(), 1);
  std::vector<std::int64_t> labels, groups;
  for (std::int64_t i = 0; i < batch_size; ++i) {
    labels.push_back(label_of(i));
    groups.push_back(group_of(i));
  }
  for (const auto& shares : ways_to_share(ranks->size())) {
    for (const std::int64_t micro_batch : {0, 2}) {
      const LabelProbe probe;
      run_step(TrainingStep(encoder, probe, *ranks, {3, false, micro_batch}), 0, shares, reader_of(sentences, 2));
      EXPECT_TRUE(probe.labels.labels.equal(at::tensor(labels, at::kLong)));
      EXPECT_TRUE(probe.labels.groups.equal(at::tensor(groups, at::kLong)));
    }
  }
}

/// The number of the step must reach the masks.
TEST(TrainingStepDropout, IsAnotherInAnotherStepAndOfAnotherSeed) {
  const auto alone = make_self_communicator();
  const ConfiguredObjective objective({});
  const RandomSentences sentences = sentences_of(0);
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  randomize(encoder.parameters(), 1);
  const auto loss = [&](std::uint64_t seed, bool dropout, std::int64_t step) {
    return run_step(TrainingStep(encoder, objective, *alone, {seed, dropout}), step, {batch_size}, reader_of(sentences))
        .loss;
  };
  EXPECT_EQ(loss(3, true, 5), loss(3, true, 5));
  EXPECT_NE(loss(3, true, 5), loss(3, true, 6));
  EXPECT_NE(loss(3, true, 5), loss(4, true, 5));
  EXPECT_NE(loss(3, true, 5), loss(3, false, 5));
  EXPECT_EQ(loss(3, false, 5), loss(4, false, 6));
}

}  // namespace
}  // namespace gausscse
