#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include "model/objective/configured_objective.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t batch = 13, width = 10;

struct LossAndGradient {
  double loss;
  ObjectiveGradient gradient;
};

ObjectiveGradient zeros(const ObjectiveInput& input) {
  return {at::zeros_like(input.embeddings),
          input.parameters.defined() ? at::zeros_like(input.parameters) : at::Tensor()};
}

ObjectiveInput random_input(const Objective& objective, at::ScalarType type, double spread = 1.0,
                            std::int64_t examples = batch) {
  at::manual_seed(3);
  ObjectiveInput input{at::randn({objective.roles(), examples, width}, at::kDouble) * spread};
  input.labels = {at::randint(0, 3, {examples}, at::kLong), at::randint(0, 4, {examples}, at::kLong)};
  if (const std::int64_t count = count_elements(objective.parameters()); count > 0)
    input.parameters = at::randn({count}, at::kDouble).mul_(0.3).to(type);
  input.embeddings = input.embeddings.to(type);
  input.step = {.seed = 4, .number = 9};
  return input;
}

LossAndGradient all_at_once(const Objective& objective, const ObjectiveInput& input, AnchorRange own) {
  const ObjectiveGradient gradient = zeros(input);
  return {objective.evaluate(input, own, gradient).item<double>(), gradient};
}

/// By blocks that end where `ends` says, the last at the batch's end.
LossAndGradient by_blocks(const Objective& objective, const ObjectiveInput& input, AnchorRange own,
                          const std::vector<std::int64_t>& ends) {
  const ObjectiveGradient gradient = zeros(input);
  const auto loss = objective.begin({.rows = input.embeddings.narrow(1, own.begin, own.count()),
                                     .own = own,
                                     .batch = input.embeddings.size(1),
                                     .labels = input.labels,
                                     .parameters = input.parameters,
                                     .step = input.step});
  const auto for_each_block = [&](const auto& use) {
    std::int64_t first = 0;
    for (const std::int64_t end : ends) {
      use(CandidateRows{input.embeddings.narrow(1, first, end - first), first},
          gradient.embeddings.narrow(1, first, end - first));
      first = end;
    }
  };
  for_each_block([&](const CandidateRows& block, const at::Tensor&) { loss->accumulate(block); });
  const at::Tensor by_anchors = gradient.embeddings.narrow(1, own.begin, own.count());
  for_each_block([&](const CandidateRows& block, const at::Tensor& to) { loss->backward(block, to, by_anchors); });
  loss->finish({by_anchors, gradient.parameters});
  return {loss->loss().item<double>(), gradient};
}

void expect_equal(const LossAndGradient& found, const LossAndGradient& expected, double tolerance) {
  EXPECT_NEAR(found.loss, expected.loss, tolerance * (1 + std::abs(expected.loss)));
  const auto compare = [&](const at::Tensor& a, const at::Tensor& b) {
    if (b.numel() == 0) return;
    const double largest = std::max(1e-3, b.abs().max().item<double>());
    EXPECT_LE((a - b).abs().max().item<double>(), tolerance * largest);
  };
  compare(found.gradient.embeddings, expected.gradient.embeddings);
  if (expected.gradient.parameters.defined()) compare(found.gradient.parameters, expected.gradient.parameters);
}

struct Named {
  std::string name;
  ObjectiveSettings settings;
};

std::vector<Named> all_objectives() {
  std::vector<Named> all;
  for (const auto& [loss, word] : names<Loss>)
    for (const Similarity similarity : all_similarities())
      all.push_back({std::string(word) + ", " + std::string(name_of(similarity)),
                     {.temperature = 0.2, .loss = loss, .similarity = similarity}});
  all.push_back({"with SimCSE", {.temperature = 0.2, .loss = Loss::ent_rev, .with_simcse = true}});
  constexpr auto cosine = ObjectiveKind::cosine_contrastive;
  all.push_back({"SimCSE", {.kind = cosine, .temperature = 0.2, .hard_negative_weight = 0.7}});
  all.push_back({"pairs", {.kind = cosine, .temperature = 0.2, .hard_negatives = false}});
  all.push_back({"both ways", {.kind = cosine, .temperature = 0.2, .directions = Directions::both}});
  all.push_back({"classification", {.kind = ObjectiveKind::pair_classification}});
  constexpr auto supervised = ObjectiveKind::supervised_contrastive;
  all.push_back({"supervised", {.kind = supervised, .temperature = 1}});
  all.push_back({"supervised, limited", {.kind = supervised, .temperature = 1, .positives = 2, .negatives = 3}});
  all.push_back(
      {"augmented", {.kind = ObjectiveKind::augmented_classification, .activation = ClassifierActivation::tanh}});
  all.push_back({"sum",
                 {.kind = ObjectiveKind::sum,
                  .terms = {{"a", 0.25, {.kind = ObjectiveKind::pair_classification}},
                            {"b", 0.75, {.kind = supervised, .temperature = 2, .positives = 3}}}}});
  return all;
}

TEST(BlockwiseLoss, IsThatOfAllCandidatesAtOnce) {
  for (const Named& named : all_objectives()) {
    SCOPED_TRACE(named.name);
    const ConfiguredObjective objective(named.settings, width);
    const ObjectiveInput input = random_input(objective, at::kDouble);
    for (const AnchorRange own : {AnchorRange{0, batch}, AnchorRange{4, 9}, AnchorRange{12, 13}}) {
      const LossAndGradient expected = all_at_once(objective, input, own);
      for (const auto& ends :
           std::vector<std::vector<std::int64_t>>{{13}, {1, 2, 13}, {6, 6, 7, 12, 13}, {0, 5, 10, 13}})
        expect_equal(by_blocks(objective, input, own, ends), expected, 1e-11);
    }
  }
}

/// More than are compared with a block at once.
TEST(BlockwiseLoss, OfManyAnchorsIsThatOfAllAtOnce) {
  constexpr std::int64_t examples = 1100;
  const ConfiguredObjective objective({.temperature = 0.2, .loss = Loss::ent_con_rev}, width);
  const ObjectiveInput input = random_input(objective, at::kDouble, 1.0, examples);
  const AnchorRange own{5, 1090};
  expect_equal(by_blocks(objective, input, own, {40, 1060, examples}), all_at_once(objective, input, own), 1e-11);
}

TEST(BlockwiseLoss, HoldsInFloat32AndWhereVariancesSpreadBeyondIt) {
  for (const Named& named : all_objectives()) {
    SCOPED_TRACE(named.name);
    const ConfiguredObjective objective(named.settings, width);
    for (const double spread : {1.0, 25.0}) {
      const ObjectiveInput wide = random_input(objective, at::kDouble, spread);
      ObjectiveInput narrow = random_input(objective, at::kFloat, spread);
      // What float32 holds is the truth that both start from.
      ObjectiveInput truth = wide;
      truth.embeddings = narrow.embeddings.to(at::kDouble);
      if (truth.parameters.defined()) truth.parameters = narrow.parameters.to(at::kDouble);
      const LossAndGradient expected = all_at_once(objective, truth, {2, 11});
      LossAndGradient found = by_blocks(objective, narrow, {2, 11}, {3, 7, 13});
      found.gradient.embeddings = found.gradient.embeddings.to(at::kDouble);
      if (found.gradient.parameters.defined()) found.gradient.parameters = found.gradient.parameters.to(at::kDouble);
      expect_equal(found, expected, 2e-4);
    }
  }
}

TEST(BlockwiseLoss, OfNoAnchorsIsZero) {
  for (const Named& named : all_objectives()) {
    SCOPED_TRACE(named.name);
    const ConfiguredObjective objective(named.settings, width);
    const ObjectiveInput input = random_input(objective, at::kDouble);
    const LossAndGradient found = by_blocks(objective, input, {5, 5}, {6, 13});
    EXPECT_EQ(found.loss, 0);
    EXPECT_EQ(found.gradient.embeddings.abs().max().item<double>(), 0);
    const LossAndGradient at_once = all_at_once(objective, input, {5, 5});
    EXPECT_EQ(at_once.loss, 0);
    EXPECT_EQ(at_once.gradient.embeddings.abs().max().item<double>(), 0);
  }
}

/// Rows from a ring of ranks lie by themselves in memory.
TEST(BlockwiseLoss, TakesBlocksFromAnywhere) {
  const ConfiguredObjective objective({.temperature = 0.2}, width);
  const ObjectiveInput input = random_input(objective, at::kDouble);
  const auto loss = objective.begin({input.embeddings.narrow(1, 4, 3).contiguous(), {4, 7}, batch});
  loss->accumulate({input.embeddings.narrow(1, 5, 8).contiguous(), 5});
  loss->accumulate({input.embeddings.narrow(1, 0, 5).contiguous(), 0});
  EXPECT_NEAR(loss->loss().item<double>(), all_at_once(objective, input, {4, 7}).loss, 1e-12);
}

/// The trainer reports a loss that is not a number, so it must see it.
TEST(BlockwiseLoss, KeepsWhatIsNotANumber) {
  for (const Named& named : all_objectives()) {
    SCOPED_TRACE(named.name);
    const ConfiguredObjective objective(named.settings, width);
    const ObjectiveInput input = random_input(objective, at::kDouble);
    input.embeddings[1][3][2] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(by_blocks(objective, input, {0, batch}, {3, 7, 13}).loss));
  }
}

}  // namespace
}  // namespace gausscse
