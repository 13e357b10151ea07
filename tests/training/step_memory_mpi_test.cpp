#include <new>

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/refusing_objective.hpp"
#include "tests/training/small_batch.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Bytes of a float32 embedding of a Gaussian of 24 dimensions.
constexpr std::int64_t embedding = 2 * 24 * 4;

/// Returns the bytes of float32 matrices with these numbers of elements, which are larger by a tenth.
std::int64_t bytes_of_matrices(const std::vector<std::int64_t>& elements) {
  std::int64_t bytes = 0;
  for (const std::int64_t count : elements) bytes += 4 * (count + count / 10);
  return bytes;
}

/// Returns the bytes that a forward of `small_settings` leaves: 24 wide, 40 in the feed-forward part, two layers of
/// which the second gives first tokens alone.
std::int64_t bytes_of_forward_to_first_tokens(std::int64_t tokens, std::int64_t sentences) {
  const std::int64_t t = 24 * tokens, s = 24 * sentences;
  return bytes_of_matrices({
      t,
      t,
      tokens,  // embeddings, and their norm's input and deviation
      3 * t,
      t,
      t,
      t,
      tokens,
      40 * tokens,
      t,
      t,
      tokens,  // layer 1: qkv, context, attended, norm, wide, output, norm
      3 * t,
      s,
      s,
      s,
      sentences,
      40 * sentences,
      s,
      s,
      sentences,       // layer 2
      48 * sentences,  // mean and log-variance
      t,
      40 * tokens,
      s  // scratch: product, activation, first rows
  });
}

/// Returns the bytes where both layers give all tokens, of which the maximum and its place are kept.
std::int64_t bytes_of_forward_to_maximum(std::int64_t tokens, std::int64_t sentences) {
  const std::int64_t t = 24 * tokens, s = 24 * sentences;
  const std::int64_t of_layer = bytes_of_matrices({3 * t, t, t, t, tokens, 40 * tokens, t, t, tokens});
  const std::int64_t scratch = bytes_of_matrices({t, 40 * tokens});
  return bytes_of_matrices({t, t, tokens}) + 2 * of_layer + bytes_of_matrices({s, s, 48 * sentences}) + scratch;
}

/// A step on all ranks that is refused memory where the objective is; its even share of the batch.
class RefusedStep {
 public:
  RefusedStep(RefusedIn where, const TrainingStepSettings& settings, PoolingKind pooling = PoolingKind::first_token)
      : ranks_(make_mpi_communicator()),
        shares_(settings.virtual_shards > 0 ? shares_of_shards(batch_size, settings.virtual_shards, ranks_->size())
                                            : ways_to_share(ranks_->size()).front()),
        encoder_(encoder_settings(settings.virtual_shards > 0, pooling)),
        objective_(where),
        step_(encoder_, objective_, *ranks_, settings) {
    randomize(encoder_.parameters(), 1);
    EXPECT_THROW(run_step(step_, 0, shares_, reader_of(sentences_)), std::bad_alloc);
    parts = step_.memory();
  }

  std::int64_t own() const { return shares_[static_cast<std::size_t>(ranks_->rank())]; }
  std::int64_t largest() const { return *std::max_element(shares_.begin(), shares_.end()); }
  /// Returns the tokens of this rank's local batch.
  std::int64_t tokens() const {
    const std::int64_t before = std::accumulate(shares_.begin(), shares_.begin() + ranks_->rank(), std::int64_t{0});
    std::int64_t tokens = 0;
    for (std::int64_t role = 0; role < 3; ++role) {
      const auto first = static_cast<std::size_t>(role * batch_size + before);
      tokens += sentences_.offsets[first + static_cast<std::size_t>(own())] - sentences_.offsets[first];
    }
    return tokens;
  }

  std::vector<MemoryPart> parts;

 private:
  static SentenceEncoderSettings encoder_settings(bool fixed_tiles, PoolingKind pooling) {
    auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.fixed_tiles = fixed_tiles;
    settings.pooling = pooling;
    return settings;
  }

  const RandomSentences sentences_ = sentences_of(0);
  std::unique_ptr<Communicator> ranks_;
  std::vector<std::int64_t> shares_;
  SentenceEncoder encoder_;
  RefusingObjective objective_;
  TrainingStep step_;
};

TEST(StepMemory, HoldsActivationsAndGatheredCandidates) {
  const RefusedStep step(RefusedIn::evaluate, {.may_halve = false});
  ASSERT_EQ(step.parts.size(), 5u);
  EXPECT_EQ(step.parts[0].what, concat("activations of ", 3 * step.own(), " sentences (", step.tokens(), " tokens)"));
  EXPECT_EQ(step.parts[0].bytes, bytes_of_forward_to_first_tokens(step.tokens(), 3 * step.own()));
  EXPECT_EQ(step.parts[1].what, "candidates with their gradient");
  EXPECT_EQ(step.parts[1].bytes, 3 * (step.own() + 2 * batch_size) * embedding);
  EXPECT_FALSE(step.parts[0].growing);
  EXPECT_TRUE(step.parts[1].growing);
  EXPECT_EQ(step.parts[2].bytes, 0);
  EXPECT_EQ(step.parts[3].bytes, 0) << "kernels on CPUs take none";
  EXPECT_EQ(step.parts[4].bytes, 0) << "they are the host's";
}

TEST(StepMemory, HoldsWhatPoolingKeeps) {
  const RefusedStep step(RefusedIn::evaluate, {.may_halve = false}, PoolingKind::max);
  EXPECT_EQ(step.parts.at(0).bytes, bytes_of_forward_to_maximum(step.tokens(), 3 * step.own()));
}

/// Rows that travel, which are all of a local batch as small as these, are held twice: those that go and those that
/// come.
TEST(StepMemory, HoldsWhatTravelsAroundTheRing) {
  const RefusedStep seeing(RefusedIn::accumulate, {.exchange = CandidateExchange::ring, .may_halve = false});
  EXPECT_EQ(seeing.parts.at(1).bytes, 3 * (seeing.own() + 2 * seeing.largest()) * embedding);
  const RefusedStep differentiating(RefusedIn::backward, {.exchange = CandidateExchange::ring, .may_halve = false});
  EXPECT_EQ(differentiating.parts.at(1).bytes,
            3 * (2 * differentiating.own() + 4 * differentiating.largest()) * embedding);
}

/// The first shard has the gradient by all rows.
TEST(StepMemory, HoldsTheSumsOfVirtualShards) {
  const RefusedStep step(RefusedIn::evaluate, {.virtual_shards = 8, .may_halve = false});
  EXPECT_EQ(step.parts.at(1).bytes, 3 * (step.own() + 2 * batch_size) * embedding);
}

/// Returns examples of 3 * 7 tokens each.
Examples examples_of_seven(std::int64_t begin, std::int64_t end) {
  Examples examples;
  for (std::int64_t i = 0; i <= 3 * (end - begin); ++i) examples.offsets.push_back(static_cast<std::uint32_t>(7 * i));
  examples.ids.assign(examples.offsets.back(), 3);
  return examples;
}

/// The prediction by four examples is the memory of the objects after a step.
TEST(StepMemory, IsPredictedBeforeTheStep) {
  const auto ranks = make_mpi_communicator();
  const ConfiguredObjective objective({});
  for (const std::int64_t virtual_shards : {0, 8}) {
    SCOPED_TRACE(virtual_shards);
    auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.fixed_tiles = virtual_shards > 0;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 1);
    TrainingStep step(encoder, objective, *ranks, {.virtual_shards = virtual_shards});
    const auto shares = virtual_shards > 0 ? shares_of_shards(batch_size, virtual_shards, ranks->size())
                                           : ways_to_share(ranks->size()).front();
    const std::int64_t own = shares[static_cast<std::size_t>(ranks->rank())];
    const PreparedBatch batch = step.prepare(0, shares, examples_of_seven);
    const std::optional<StepMemory> predicted = step.predict_memory(batch);
    ASSERT_TRUE(predicted);
    EXPECT_EQ(step.memory().at(0).bytes, 0) << "it gives the memory back";
    EXPECT_EQ(encoder.parameters().bytes(), static_cast<std::int64_t>(encoder.parameters().values().nbytes()));
    EXPECT_EQ(predicted->other_bytes, 3 * (own + 2 * batch_size) * embedding);
    for (const std::int64_t micro_batch : {own, std::int64_t{2}, std::int64_t{1}}) {
      SCOPED_TRACE(testing::Message() << "micro-batch " << micro_batch);
      step.set_micro_batch(micro_batch);
      step.release_activations();
      step.run(step.prepare(0, shares, examples_of_seven));
      const auto held = static_cast<double>(step.memory().at(0).bytes);
      const std::int64_t all = step.bytes_with(micro_batch, *predicted, shares);
      EXPECT_NEAR(static_cast<double>(all - predicted->other_bytes), held, 0.02 * held);
    }
  }
}

TEST(StepMemory, AdviceFitsTheSettings) {
  const auto advice = [](TrainingStepSettings settings) {
    settings.may_halve = false;
    const RefusedStep step(RefusedIn::evaluate, settings);
    return std::pair(step.parts.at(0).advice, step.parts.at(1).advice);
  };
  const bool alone = make_mpi_communicator()->size() == 1;
  const std::string lower_batch = "lower training.batch_size";
  const std::string of_gathered =
      alone ? lower_batch : "let candidates travel around the ring of ranks (training.exchange: ring)";
  EXPECT_EQ(advice({}), std::pair(std::string(embed_fewer_at_a_time), of_gathered));
  EXPECT_EQ(advice({.micro_batch = 2}), std::pair(std::string(embed_fewer_at_a_time), of_gathered));
  EXPECT_EQ(advice({.micro_batch = 1}), std::pair(std::string("lower training.max_tokens"), of_gathered));
  EXPECT_EQ(advice({.virtual_shards = 8}), std::pair(std::string(embed_fewer_at_a_time), lower_batch));
  EXPECT_EQ(advice({.micro_batch = 1, .virtual_shards = 8}),
            std::pair(std::string("cut batches into more virtual shards (training.virtual_shards)"), lower_batch));
}

}  // namespace
}  // namespace gausscse
