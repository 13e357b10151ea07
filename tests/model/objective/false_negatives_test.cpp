#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <set>

#include "base/philox.hpp"
#include "model/objective/configured_objective.hpp"
#include "model/objective/masked_texts.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {
constexpr std::int64_t examples = 14, dimension = 6;
constexpr double tau = 0.2;

/// Texts of a batch, of which many are equal, and pairs that the data names.
struct Texts {
  std::vector<std::vector<std::int64_t>> of_roles;
  std::set<std::pair<std::int64_t, std::int64_t>> entailed;

  bool is_left_out(FalseNegatives rule, std::int64_t anchor_role, std::int64_t i, std::int64_t candidate_role,
                   std::int64_t j, bool either_way) const {
    if (rule == FalseNegatives::keep || i == j) return false;
    const auto text = [&](std::int64_t role, std::int64_t example) {
      return of_roles[static_cast<std::size_t>(role)][static_cast<std::size_t>(example)];
    };
    const std::int64_t candidate = text(candidate_role, j), anchor = text(anchor_role, i);
    if (candidate == text(0, i) || candidate == text(1, i)) return true;
    if (rule == FalseNegatives::mask_equal) return false;
    return either_way && anchor_role == 1 ? entailed.count({candidate, anchor}) > 0
                                          : entailed.count({anchor, candidate}) > 0;
  }
  ExampleLabels labels() const {
    ExampleLabels labels;
    std::vector<at::Tensor> roles;
    for (const auto& role : of_roles) roles.push_back(at::tensor(role, at::kLong).unsqueeze(0));
    labels.texts = at::cat(roles);
    std::vector<std::int64_t> flat;
    for (const auto& [premise, hypothesis] : entailed) flat.insert(flat.end(), {premise, hypothesis});
    labels.entailed = at::tensor(flat, at::kLong).view({-1, 2});
    return labels;
  }
};

/// Texts 1 to 10: all rules leave out something of every set, and a contradiction is its own example's positive.
Texts some_texts() {
  Texts texts;
  PhiloxStream draws(3, 0);
  for (int role = 0; role < 3; ++role) {
    texts.of_roles.emplace_back();
    for (std::int64_t i = 0; i < examples; ++i) texts.of_roles.back().push_back(1 + draws.below(role == 0 ? 12 : 10));
  }
  texts.of_roles[2][4] = texts.of_roles[1][4];
  for (std::int64_t i = 0; i < examples; ++i)
    texts.entailed.insert(
        {texts.of_roles[0][static_cast<std::size_t>(i)], texts.of_roles[1][static_cast<std::size_t>(i)]});
  for (int i = 0; i < 12; ++i) texts.entailed.insert({1 + draws.below(12), 1 + draws.below(10)});
  return texts;
}

/// Similarities [anchors, candidates], by their formulas.
at::Tensor dense_similarity(const at::Tensor& p, const at::Tensor& q, const ObjectiveSettings& settings) {
  if (settings.kind == ObjectiveKind::cosine_contrastive) {
    const auto unit = [](const at::Tensor& x) { return x / x.norm(2, 1, true); };
    const std::int64_t used = settings.of_means ? dimension : 2 * dimension;
    return unit(q.narrow(1, 0, used)).mm(unit(p.narrow(1, 0, used)).t());
  }
  const at::Tensor m1 = p.narrow(1, 0, dimension).unsqueeze(0), l1 = p.narrow(1, dimension, dimension).unsqueeze(0);
  const at::Tensor m2 = q.narrow(1, 0, dimension).unsqueeze(1), l2 = q.narrow(1, dimension, dimension).unsqueeze(1);
  if (settings.similarity == Similarity::wasserstein)
    return 1 / (1 + ((m1 - m2).square() + ((l1 / 2).exp() - (l2 / 2).exp()).square()).sum(2));
  const at::Tensor kl = 0.5 * ((l1 - l2).exp() + (m1 - m2).square() * (-l2).exp() - 1 - l1 + l2);
  return settings.similarity == Similarity::joint ? 1 / (1 + kl.sum(2)) : (1 / (1 + kl)).mean(2);
}

/// Anchors of a role against candidates of some, the first of them the positives'.
struct DenseRows {
  std::int64_t anchors;
  std::vector<std::int64_t> candidates;
};

struct DenseLoss {
  at::Tensor loss = at::zeros({}, at::kDouble);
  std::int64_t left_out = 0;

  /// Adds the mean cross entropy of rows of all `sets`, which share a softmax, with a dense mask.
  void add(const at::Tensor& x, const Texts& texts, const ObjectiveSettings& settings, double weight,
           const std::vector<DenseRows>& sets) {
    const bool is_cosine = settings.kind == ObjectiveKind::cosine_contrastive;
    std::vector<at::Tensor> logits;
    at::Tensor positive;
    for (const DenseRows& set : sets) {
      for (const std::int64_t role : set.candidates) {
        at::Tensor block = dense_similarity(x[role], x[set.anchors], settings) / settings.temperature;
        if (is_cosine && role == 2) block = block + settings.hard_negative_weight * at::eye(examples, block.options());
        if (!positive.defined()) positive = block.diagonal();
        at::Tensor mask = at::zeros({examples, examples}, at::kBool);
        for (std::int64_t i = 0; i < examples; ++i)
          for (std::int64_t j = 0; j < examples; ++j)
            mask[i][j] = texts.is_left_out(settings.false_negatives, set.anchors, i, role, j, is_cosine);
        left_out += mask.sum().item<std::int64_t>();
        logits.push_back(block.masked_fill(mask, -std::numeric_limits<double>::infinity()));
      }
    }
    loss = loss + weight * (at::cat(logits, 1).logsumexp(1) - positive).mean();
  }
};

DenseLoss dense_loss(const at::Tensor& x, const Texts& texts, const ObjectiveSettings& settings) {
  DenseLoss dense;
  const std::vector<std::int64_t> forward =
      ConfiguredObjective(settings).roles() == 3 ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1};
  if (settings.kind == ObjectiveKind::cosine_contrastive) {
    const bool both = settings.directions == Directions::both;
    dense.add(x, texts, settings, both ? 0.5 : 1, {{0, forward}});
    if (both) dense.add(x, texts, settings, 0.5, {{1, {0}}});
    return dense;
  }
  std::vector<DenseRows> sets{{0, forward}};
  if (settings.loss == Loss::ent_rev || settings.loss == Loss::ent_con_rev) sets.push_back({1, {0}});
  dense.add(x, texts, settings, 1, sets);
  return dense;
}

at::Tensor random_rows(std::int64_t roles) {
  at::manual_seed(5);
  return at::randn({roles, examples, 2 * dimension}, at::kDouble).mul_(0.6).to(at::kFloat).to(at::kDouble);
}

std::vector<ObjectiveSettings> masked_objectives() {
  std::vector<ObjectiveSettings> all;
  for (const FalseNegatives rule : {FalseNegatives::mask_equal, FalseNegatives::mask_known}) {
    for (const auto& [loss, word] : names<Loss>)
      for (const Similarity similarity : {Similarity::joint, Similarity::per_dimension, Similarity::wasserstein})
        all.push_back({.temperature = tau, .false_negatives = rule, .loss = loss, .similarity = similarity});
    constexpr auto cosine = ObjectiveKind::cosine_contrastive;
    all.push_back({.kind = cosine, .temperature = tau, .false_negatives = rule, .hard_negative_weight = 0.7});
    all.push_back({.kind = cosine,
                   .temperature = tau,
                   .false_negatives = rule,
                   .hard_negatives = false,
                   .directions = Directions::both});
    all.push_back({.kind = cosine,
                   .temperature = tau,
                   .false_negatives = rule,
                   .directions = Directions::both,
                   .of_means = true});
  }
  return all;
}

TEST(FalseNegatives, AreLeftOutAsByADenseMask) {
  const Texts texts = some_texts();
  for (const ObjectiveSettings& settings : masked_objectives()) {
    SCOPED_TRACE(concat(name_of(settings.kind), " ", name_of(settings.loss), " ", name_of(settings.similarity)));
    const ConfiguredObjective objective(settings);
    const at::Tensor x = random_rows(objective.roles()).requires_grad_();
    const DenseLoss expected = dense_loss(x, texts, settings);
    const at::Tensor expected_gradient = torch::autograd::grad({expected.loss}, {x})[0];
    EXPECT_GT(expected.left_out, 10);
    EXPECT_EQ(count_left_out(settings, texts.labels()), expected.left_out);
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      const double tolerance = type == at::kDouble ? 1e-12 : 2e-5;
      const ObjectiveInput input{x.detach().to(type), texts.labels()};
      at::Tensor sum = at::zeros_like(input.embeddings);
      double loss = 0;
      // As of three ranks, one of which has no anchors.
      for (const AnchorRange own : {AnchorRange{0, 5}, AnchorRange{5, 5}, AnchorRange{5, examples}}) {
        at::Tensor gradient = at::full_like(input.embeddings, 99);
        loss += objective.evaluate(input, own, {gradient}).item<double>();
        sum += gradient;
      }
      EXPECT_NEAR(loss, expected.loss.item<double>(), tolerance);
      EXPECT_LE((sum.to(at::kDouble) - expected_gradient).abs().max().item<double>(), tolerance);
    }
  }
}

/// A block may have no candidate that an anchor keeps.
TEST(FalseNegatives, AreLeftOutOfBlocksThatComeOneByOne) {
  const Texts texts = some_texts();
  for (const ObjectiveSettings& settings : masked_objectives()) {
    SCOPED_TRACE(concat(name_of(settings.kind), " ", name_of(settings.loss), " ", name_of(settings.similarity)));
    const ConfiguredObjective objective(settings);
    const ObjectiveInput input{random_rows(objective.roles()), texts.labels()};
    const AnchorRange own{3, 11};
    at::Tensor expected = at::zeros_like(input.embeddings), gradient = at::zeros_like(input.embeddings);
    const double loss = objective.evaluate(input, own, {expected}).item<double>();
    const at::Tensor by_anchors = gradient.narrow(1, own.begin, own.count());
    const auto blockwise =
        objective.begin({input.embeddings.narrow(1, own.begin, own.count()), own, examples, input.labels});
    for (std::int64_t i = 0; i < examples; ++i) blockwise->accumulate({input.embeddings.narrow(1, i, 1), i});
    for (std::int64_t i = 0; i < examples; ++i)
      blockwise->backward({input.embeddings.narrow(1, i, 1), i}, gradient.narrow(1, i, 1), by_anchors);
    blockwise->finish({by_anchors});
    EXPECT_NEAR(blockwise->loss().item<double>(), loss, 1e-12);
    EXPECT_LE((gradient - expected).abs().max().item<double>(), 1e-12);
  }
}

TEST(FalseNegatives, AreLeftOutOfEachTermOfASum) {
  const Texts texts = some_texts();
  const ObjectiveSettings settings{.temperature = tau,
                                   .false_negatives = FalseNegatives::mask_known,
                                   .loss = Loss::ent_rev,
                                   .similarity = Similarity::joint,
                                   .with_simcse = true};
  const ConfiguredObjective objective(settings);
  const at::Tensor x = random_rows(3).requires_grad_();
  DenseLoss expected;
  for (const ObjectiveTerm& term : terms_of(settings)) {
    EXPECT_EQ(term.objective.false_negatives, FalseNegatives::mask_known);
    const DenseLoss of_term = dense_loss(x, texts, term.objective);
    expected.loss = expected.loss + of_term.loss;
    expected.left_out += of_term.left_out;
  }
  EXPECT_EQ(objective.false_negatives(), FalseNegatives::mask_known);
  EXPECT_EQ(count_left_out(settings, texts.labels()), expected.left_out);
  at::Tensor gradient = at::full_like(x, 99);
  EXPECT_NEAR(objective.evaluate({x.detach(), texts.labels()}, {0, examples}, {gradient}).item<double>(),
              expected.loss.item<double>(), 1e-12);
  EXPECT_LE((gradient - torch::autograd::grad({expected.loss}, {x})[0]).abs().max().item<double>(), 1e-12);
}

TEST(FalseNegatives, AreKeptWithTheBitsOfALossWithoutTexts) {
  const Texts texts = some_texts();
  for (ObjectiveSettings settings : masked_objectives()) {
    settings.false_negatives = FalseNegatives::keep;
    const ConfiguredObjective objective(settings);
    const at::Tensor x = random_rows(objective.roles()).to(at::kFloat);
    at::Tensor gradient = at::full_like(x, 99), with_texts = at::full_like(x, 99);
    EXPECT_EQ(objective.evaluate({x}, {2, 9}, {gradient}).item<double>(),
              objective.evaluate({x, texts.labels()}, {2, 9}, {with_texts}).item<double>());
    EXPECT_TRUE(gradient.equal(with_texts));
    EXPECT_EQ(count_left_out(settings, texts.labels()), 0);
  }
}

}  // namespace
}  // namespace gausscse
