#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "dist/monitored_communicator.hpp"
#include "experiments/training/optimizer.hpp"
#include "experiments/training/training_step.hpp"
#include "model/objective/gaussian_contrastive.hpp"
#include "model/objective/make_objective.hpp"
#include "tests/experiments/training/example_reader.hpp"
#include "tests/model/encoder/small_models.hpp"

namespace gausscse {
namespace {

using testing_support::RandomSentences;

constexpr std::int64_t batch_size = 11;

/// The examples of step `step`: 3 * batch_size random sentences, premises first.
RandomSentences sentences_of(std::int64_t step) {
  return testing_support::random_sentences(3 * batch_size, 100 + static_cast<std::uint64_t>(step));
}

ExampleReader reader_of(const RandomSentences& all, std::int64_t roles = 3) {
  return testing_support::example_reader(all, batch_size, roles);
}

/// Ways to share the batch out: even, and with an empty and a large share.
std::vector<std::vector<std::int64_t>> ways_to_share(int ranks) {
  std::vector<std::int64_t> even(static_cast<std::size_t>(ranks)), uneven(static_cast<std::size_t>(ranks), 0);
  for (std::int64_t i = 0; i < batch_size; ++i) ++even[static_cast<std::size_t>(i % ranks)];
  uneven.back() = batch_size;
  if (ranks > 1) {
    uneven.back() = batch_size - 3;
    uneven.front() = 3;
  }
  return {even, uneven};
}

/// A model and the objective that it is trained by.
struct System {
  const char* name;
  ObjectiveSettings objective;
  HeadSettings head = {};
  PoolingKind pooling = PoolingKind::first_token;

  std::unique_ptr<Objective> make() const {
    const auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    return make_objective(objective, head_width(head.kind, settings.encoder.hidden_size));
  }

  SentenceEncoderSettings encoder(at::ScalarType type, bool fixed_tiles) const {
    auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, type);
    settings.head = head;
    settings.objective = make()->parameters();
    settings.pooling = pooling;
    settings.fixed_tiles = fixed_tiles;
    return settings;
  }
};

const HeadSettings mlp{HeadKind::mlp_tanh}, no_head{HeadKind::none};

const std::vector<System>& systems() {
  constexpr auto cosine = ObjectiveKind::cosine_contrastive;
  static const std::vector<System> all{
      {"ent", {.loss = Loss::ent}},
      {"ent+con+rev", {.loss = Loss::ent_con_rev}},
      {"ent+rev with SimCSE", {.loss = Loss::ent_rev, .with_simcse = true}},
      {"SimCSE", {.kind = cosine, .hard_negative_weight = 0.5}, mlp, PoolingKind::max},
      {"pairs", {.kind = cosine, .hard_negatives = false}, no_head, PoolingKind::mean_without_first},
      {"pairs both ways", {.kind = cosine, .directions = Directions::both}, no_head, PoolingKind::mean},
      {"classification",
       {.kind = ObjectiveKind::pair_classification, .activation = ClassifierActivation::tanh},
       no_head,
       PoolingKind::mean_without_first}};
  return all;
}

struct Case {
  at::ScalarType type;
  std::int64_t micro_batch;
  bool dropout;
  std::int64_t virtual_shards = 0;
};

class TrainingStepTest : public testing::TestWithParam<std::tuple<Case, std::size_t>> {};

TEST_P(TrainingStepTest, GradientsAreThoseOfOneProcess) {
  const auto& [how, number] = GetParam();
  const System& system = systems()[number];
  SCOPED_TRACE(system.name);
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  const RandomSentences sentences = sentences_of(0);
  const std::unique_ptr<Objective> objective = system.make();
  const ExampleReader read = reader_of(sentences, objective->roles());
  SentenceEncoder reference(system.encoder(at::kDouble, false));
  testing_support::randomize(reference.parameters(), 1);
  const auto expected = TrainingStep(reference, *objective, *alone, {3, how.dropout, 0}).run(5, {batch_size}, read);

  SentenceEncoder encoder(system.encoder(how.type, how.virtual_shards > 0));
  testing_support::randomize(encoder.parameters(), 1);
  TrainingStep step(encoder, *objective, *ranks, {3, how.dropout, how.micro_batch, how.virtual_shards});
  const bool wide = how.type == at::kDouble;
  const auto all_shares =
      how.virtual_shards > 0
          ? std::vector<std::vector<std::int64_t>>{shares_of_shards(batch_size, how.virtual_shards, ranks->size())}
          : ways_to_share(ranks->size());
  for (const auto& shares : all_shares) {
    const auto result = step.run(5, shares, read);
    EXPECT_NEAR(result.loss, expected.loss, (wide ? 1e-11 : 1e-5));
    EXPECT_EQ(result.tokens, expected.tokens);
    for (const ParameterSpec& spec : encoder.parameters().specs()) {
      const at::Tensor truth = reference.parameters().gradient(spec.name);
      const double largest = truth.abs().max().item<double>();
      const double error =
          (encoder.parameters().gradient(spec.name).to(at::kDouble) - truth).abs().max().item<double>();
      // The keys' bias has no gradient: softmax does not see it.
      if (largest < 1e-9) continue;
      EXPECT_LE(error / largest, wide ? 1e-10 : 5e-6) << spec.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TrainingStepTest,
                         testing::Combine(testing::Values(Case{at::kDouble, 0, false}, Case{at::kDouble, 2, true},
                                                          Case{at::kFloat, 0, false}, Case{at::kFloat, 3, true},
                                                          Case{at::kDouble, 1, true, 5}, Case{at::kFloat, 0, true, 3},
                                                          Case{at::kDouble, 0, false, 16}),
                                          testing::Range<std::size_t>(0, systems().size())));

/// Trains with dropout, and gives losses and weights.
std::pair<std::vector<double>, at::Tensor> train_rank_invariantly(Communicator& communicator, const System& system,
                                                                  int threads, std::int64_t micro_batch) {
  const std::unique_ptr<Objective> objective = system.make();
  SentenceEncoder encoder(system.encoder(at::kFloat, true));
  testing_support::randomize(encoder.parameters(), 1);
  constexpr std::int64_t shards = 5;
  TrainingStep step(encoder, *objective, communicator,
                    {.seed = 3, .dropout = true, .micro_batch = micro_batch, .virtual_shards = shards});
  Optimizer optimizer(encoder.parameters(), {});
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  std::vector<double> losses;
  for (std::int64_t number = 0; number < 4; ++number) {
    const RandomSentences sentences = sentences_of(number);
    losses.push_back(step.run(number, shares_of_shards(batch_size, shards, communicator.size()),
                              reader_of(sentences, objective->roles()))
                         .loss);
    optimizer.step(1e-3, optimizer.gradient_norm());
    encoder.parameters_changed();
  }
  at::set_num_threads(before);
  return {losses, encoder.parameters().values().clone()};
}

TEST(RankInvariant, HasTheSameBitsForAnyRanksThreadsAndMicroBatches) {
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    const auto [losses, weights] = train_rank_invariantly(*alone, system, 1, 0);
    const bool all = system.objective.loss == Loss::ent_con_rev && system.head.kind == HeadKind::gaussian;
    for (const int threads : all ? std::vector<int>{1, 2, 3} : std::vector<int>{3}) {
      for (const std::int64_t micro_batch : all ? std::vector<std::int64_t>{0, 1, 6} : std::vector<std::int64_t>{1}) {
        const auto [here_losses, here_weights] = train_rank_invariantly(*ranks, system, threads, micro_batch);
        EXPECT_EQ(here_losses, losses) << threads;
        EXPECT_TRUE(here_weights.equal(weights)) << threads;
      }
    }
  }
}

/// A loss of two roles that is given all three, and says that the third has no gradient.
class WithAllRoles : public Objective {
 public:
  explicit WithAllRoles(const Objective& objective) : objective_(objective) {}
  std::int64_t roles() const override { return 3; }
  std::unique_ptr<BlockwiseLoss> begin(const AnchorInput&) const override {
    throw std::logic_error("candidates are all at hand");
  }
  double evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override {
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
    const GaussianContrastive needed(loss, Similarity::per_dimension, 0.05);
    const WithAllRoles all(needed);
    for (const std::int64_t micro_batch : {0, 2}) {
      const auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble);
      SentenceEncoder fewer(settings), more(settings);
      for (SentenceEncoder* encoder : {&fewer, &more}) testing_support::randomize(encoder->parameters(), 1);
      const auto of_fewer =
          TrainingStep(fewer, needed, *ranks, {3, true, micro_batch}).run(5, shares, reader_of(sentences, 2));
      const auto of_all = TrainingStep(more, all, *ranks, {3, true, micro_batch}).run(5, shares, reader_of(sentences));
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
  double evaluate(const ObjectiveInput& input, AnchorRange own, const ObjectiveGradient& gradient) const override {
    check(input, own, gradient);
    gradient.embeddings.zero_();
    labels = input.labels;
    return 0;
  }

  mutable ExampleLabels labels;
};

TEST(TrainingStepLabels, AreThoseOfTheWholeBatchOnEveryRank) {
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  testing_support::randomize(encoder.parameters(), 1);
  std::vector<std::int64_t> labels, groups;
  for (std::int64_t i = 0; i < batch_size; ++i) {
    labels.push_back(testing_support::label_of(i));
    groups.push_back(testing_support::group_of(i));
  }
  for (const auto& shares : ways_to_share(ranks->size())) {
    for (const std::int64_t micro_batch : {0, 2}) {
      const LabelProbe probe;
      TrainingStep(encoder, probe, *ranks, {3, false, micro_batch}).run(0, shares, reader_of(sentences, 2));
      EXPECT_TRUE(probe.labels.labels.equal(at::tensor(labels, at::kLong)));
      EXPECT_TRUE(probe.labels.groups.equal(at::tensor(groups, at::kLong)));
    }
  }
}

/// The number of the step must reach the masks.
TEST(TrainingStepDropout, IsAnotherInAnotherStepAndOfAnotherSeed) {
  const auto alone = make_self_communicator();
  const GaussianContrastive objective(Loss::ent_con_rev, Similarity::per_dimension, 0.05);
  const RandomSentences sentences = sentences_of(0);
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  testing_support::randomize(encoder.parameters(), 1);
  const auto loss = [&](std::uint64_t seed, bool dropout, std::int64_t step) {
    return TrainingStep(encoder, objective, *alone, {seed, dropout}).run(step, {batch_size}, reader_of(sentences)).loss;
  };
  EXPECT_EQ(loss(3, true, 5), loss(3, true, 5));
  EXPECT_NE(loss(3, true, 5), loss(3, true, 6));
  EXPECT_NE(loss(3, true, 5), loss(4, true, 5));
  EXPECT_NE(loss(3, true, 5), loss(3, false, 5));
  EXPECT_EQ(loss(3, false, 5), loss(4, false, 6));
}

TEST(TrainingStepCollectives, DoNotGrowWithTheNumberOfMicroBatches) {
  const GaussianContrastive objective(Loss::ent_con_rev, Similarity::per_dimension, 0.05);
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  testing_support::randomize(encoder.parameters(), 1);
  const RandomSentences sentences = sentences_of(0);
  MonitoredCommunicator ranks(make_mpi_communicator(), nullptr, false);
  MonitoredCommunicator::Counts expected{};
  for (const std::int64_t micro_batch : {0, 1, 2, 5}) {
    TrainingStep(encoder, objective, ranks, {3, true, micro_batch})
        .run(0, ways_to_share(ranks.size()).front(), reader_of(sentences));
    ++expected[static_cast<std::size_t>(Collective::all_gather)];
    ++expected[static_cast<std::size_t>(Collective::reduce_scatter_sum)];
    // Gradients, and the totals of the step.
    expected[static_cast<std::size_t>(Collective::all_reduce_sum)] += 2;
    EXPECT_EQ(ranks.counts(), expected) << counts_text(ranks.counts());
  }
}

TEST(TrainingStepCollectives, OfTheRankInvariantStepDoNotGrowWithShardsOrMicroBatches) {
  const GaussianContrastive objective(Loss::ent_con_rev, Similarity::per_dimension, 0.05);
  auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.fixed_tiles = true;
  SentenceEncoder encoder(settings);
  testing_support::randomize(encoder.parameters(), 1);
  const RandomSentences sentences = sentences_of(0);
  MonitoredCommunicator ranks(make_mpi_communicator(), nullptr, false);
  MonitoredCommunicator::Counts expected{};
  for (const std::int64_t shards : {5, 11}) {
    for (const std::int64_t micro_batch : {0, 1}) {
      TrainingStep(encoder, objective, ranks, {3, true, micro_batch, shards})
          .run(0, shares_of_shards(batch_size, shards, ranks.size()), reader_of(sentences));
      // Embeddings; then the gradients by them and those of the parameters, where there is more than one rank.
      const bool sums = ranks.size() > 1;
      expected[static_cast<std::size_t>(Collective::all_gather)] += sums ? 3 : 1;
      expected[static_cast<std::size_t>(Collective::all_to_all)] += sums ? 2 : 0;
      ++expected[static_cast<std::size_t>(Collective::all_reduce_sum)];
      EXPECT_EQ(ranks.counts(), expected) << counts_text(ranks.counts());
    }
  }
}

TEST(LossCurve, IsTheSameForAnyShares) {
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  const GaussianContrastive objective(Loss::ent_con_rev, Similarity::per_dimension, 0.05);
  const auto settings = testing_support::small_settings(EncoderConfig::Architecture::roberta, at::kFloat);
  SentenceEncoder here(settings), there(settings);
  testing_support::randomize(here.parameters(), 1);
  testing_support::randomize(there.parameters(), 1);
  TrainingStep step_here(here, objective, *ranks, {3, true, 2}), step_there(there, objective, *alone, {3, true, 0});
  Optimizer optimizer_here(here.parameters(), {}), optimizer_there(there.parameters(), {});
  const auto shares = ways_to_share(ranks->size());
  double first = 0, last = 0;
  for (std::int64_t step = 0; step < 12; ++step) {
    const RandomSentences sentences = sentences_of(step % 2);
    const auto a = step_here.run(step, shares[static_cast<std::size_t>(step % 2)], reader_of(sentences));
    const auto b = step_there.run(step, {batch_size}, reader_of(sentences));
    EXPECT_NEAR(a.loss, b.loss, 2e-4 * b.loss) << "step " << step;
    optimizer_here.step(1e-3, optimizer_here.gradient_norm());
    optimizer_there.step(1e-3, optimizer_there.gradient_norm());
    here.parameters_changed();
    there.parameters_changed();
    if (step == 0) first = a.loss;
    last = a.loss;
  }
  EXPECT_LT(last, first) << "twelve steps on two batches learn something";
}

}  // namespace
}  // namespace gausscse
