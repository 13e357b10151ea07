#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "model/objective/configured_objective.hpp"
#include "model/objective/similarity.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the method's formulas, literally, with [n, n, d] tensors; autograd gives the gradient.
at::Tensor brute_force_similarity(const at::Tensor& p, const at::Tensor& q, Similarity kind) {
  const std::int64_t d = p.size(1) / 2;
  const at::Tensor m1 = p.narrow(1, 0, d).unsqueeze(0), lv1 = p.narrow(1, d, d).unsqueeze(0);
  const at::Tensor m2 = q.narrow(1, 0, d).unsqueeze(1), lv2 = q.narrow(1, d, d).unsqueeze(1);
  const at::Tensor square = (m1 - m2).square(), log_ratio = lv1 - lv2;
  const at::Tensor forward = 0.5 * (log_ratio.exp() + square * (-lv2).exp() - 1 - log_ratio);
  const at::Tensor backward = 0.5 * ((-log_ratio).exp() + square * (-lv1).exp() - 1 + log_ratio);
  switch (kind) {
    case Similarity::per_dimension:
      return (1 / (1 + forward)).mean(2);
    case Similarity::joint:
      return 1 / (1 + forward.sum(2));
    case Similarity::wasserstein:
      return 1 / (1 + (square + ((lv1 / 2).exp() - (lv2 / 2).exp()).square()).sum(2));
    case Similarity::symmetric:
      return 1 / (1 + ((forward + backward) / 2).sum(2));
    case Similarity::bhattacharyya: {
      const at::Tensor both = at::logaddexp(lv1, lv2);
      return 1 / (1 + (square * (-both).exp() / 4 + (both - std::log(2.0)) / 2 - (lv1 + lv2) / 4).sum(2));
    }
    case Similarity::cosine:
      break;
  }
  throw std::logic_error("no similarity of Gaussians");
}

at::Tensor brute_force_loss(const at::Tensor& x, std::string_view loss, Similarity kind, double temperature) {
  std::vector<at::Tensor> blocks{brute_force_similarity(x[1], x[0], kind) / temperature};
  const at::Tensor positive = blocks[0].diagonal();
  if (loss.find("con") != loss.npos) blocks.push_back(brute_force_similarity(x[2], x[0], kind) / temperature);
  if (loss.find("rev") != loss.npos) blocks.push_back(brute_force_similarity(x[0], x[1], kind) / temperature);
  return (at::cat(blocks, 1).logsumexp(1) - positive).mean();
}

struct Case {
  std::string name;
  std::int64_t batch;
  std::int64_t dimension;
  double log_var_scale;
  double log_var_shift;
  bool equal_sentences;
  std::int64_t far_dimensions = 0;  ///< so many last ones are 80 times as wide, but for the first sentence's
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class ContrastiveLoss : public testing::TestWithParam<Case> {};

at::Tensor make_input(const Case& c) {
  at::manual_seed(7);
  at::Tensor x = at::randn({3, c.batch, 2 * c.dimension}, at::kDouble);
  x.narrow(2, 0, c.dimension).tanh_();
  x.narrow(2, c.dimension, c.dimension).mul_(c.log_var_scale).add_(c.log_var_shift);
  if (c.far_dimensions > 0) {
    x.narrow(2, 2 * c.dimension - c.far_dimensions, c.far_dimensions).mul_(80);
    x[0][0].narrow(0, 2 * c.dimension - c.far_dimensions, c.far_dimensions).div_(80);
  }
  if (c.equal_sentences) x.copy_(x[0][0].expand_as(x).clone());
  return x.to(at::kFloat).to(at::kDouble);
}

constexpr double temperature = 0.05;

TEST_P(ContrastiveLoss, EqualsBruteForceInValueAndGradient) {
  for (const auto& [loss, word] : names<Loss>) {
    for (const auto& [kind, kind_word] : names<Similarity>) {
      if (kind == Similarity::cosine) continue;
      const ConfiguredObjective objective({.temperature = temperature, .loss = loss, .similarity = kind});
      // Contradictions are not even given to a loss without V_C.
      ASSERT_EQ(objective.roles(), word.find("con") == word.npos ? 2 : 3);
      at::Tensor x = make_input(GetParam()).narrow(0, 0, objective.roles()).clone().requires_grad_();
      const at::Tensor expected = brute_force_loss(x, word, kind, temperature);
      const at::Tensor expected_gradient = torch::autograd::grad({expected}, {x})[0];
      const double scale = expected_gradient.abs().max().item<double>();
      for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const bool wide = type == at::kDouble;
        const at::Tensor input = x.detach().to(type);
        at::Tensor gradient = at::full_like(input, 99);
        const double value = objective.evaluate({input}, {0, GetParam().batch}, {gradient}).item<double>();
        EXPECT_NEAR(value, expected.item<double>(), (wide ? 1e-12 : 1e-6) * (1 + expected.item<double>()))
            << word << " " << kind_word << (wide ? " float64" : " float32");
        const double error = (gradient.to(at::kDouble) - expected_gradient).abs().max().item<double>();
        // Equal sentences cancel to nothing: they are measured against their terms, of size 1/(temperature n d).
        EXPECT_LE(error, (wide ? 1e-10 : 1e-5) * std::max(scale, 0.1)) << word << " " << kind_word;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ContrastiveLoss,
    testing::Values(Case{"usual", 17, 40, 0.5, 0, false}, Case{"one_triple", 1, 16, 0.5, 0, false},
                    Case{"narrow", 5, 3, 0.5, 0, false}, Case{"two_anchor_blocks", 131, 20, 0.5, 0, false},
                    Case{"huge_variances", 9, 24, 0.5, 30, false}, Case{"tiny_variances", 9, 24, 0.5, -30, false},
                    Case{"wide_spread", 9, 24, 10, 0, false}, Case{"wider_than_float", 9, 24, 40, 0, false},
                    Case{"wider_than_float_in_last_dimensions", 9, 100, 0.5, 0, false, 30},
                    Case{"equal_sentences", 6, 24, 0.5, 0, true}),
    [](const auto& tested) { return tested.param.name; });

TEST(ContrastiveLossParts, OfAllRanksAddUp) {
  const Case c{"parts", 23, 19, 0.5, 0, false};
  for (const Loss loss : {Loss::ent, Loss::ent_con_rev}) {
    const ConfiguredObjective objective({.temperature = temperature, .loss = loss});
    const at::Tensor x = make_input(c).narrow(0, 0, objective.roles());
    at::Tensor whole = at::empty_like(x), part = at::empty_like(x), sum = at::zeros_like(x);
    const double value = objective.evaluate({x}, {0, 23}, {whole}).item<double>();
    double parts = 0;
    for (const AnchorRange own : {AnchorRange{0, 4}, AnchorRange{4, 4}, AnchorRange{4, 20}, AnchorRange{20, 23}}) {
      parts += objective.evaluate({x}, own, {part}).item<double>();
      sum += part;
    }
    EXPECT_NEAR(parts, value, 1e-12);
    EXPECT_LE((sum - whole).abs().max().item<double>(), 1e-14);
  }
}

TEST(ContrastiveLossParts, NotANumberStaysOne) {
  at::Tensor x = make_input({"nan", 5, 8, 0.5, 0, false}).to(at::kFloat);
  x[1][2][3] = std::numeric_limits<float>::quiet_NaN();
  at::Tensor gradient = at::empty_like(x);
  const ConfiguredObjective objective({.temperature = temperature, .loss = Loss::ent_con});
  EXPECT_TRUE(std::isnan(objective.evaluate({x}, {0, 5}, {gradient}).item<double>()));
}

TEST(PairwiseSimilarity, EqualsBruteForce) {
  for (const Similarity kind : all_similarities()) {
    const at::Tensor x = make_input({"pairs", 12, 33, 3, 0, false});
    const at::Tensor expected = brute_force_similarity(x[0], x[1], kind).diagonal();
    const at::Tensor result = pairwise_similarity(x[0].to(at::kFloat), x[1].to(at::kFloat), kind);
    EXPECT_LE((result.to(at::kDouble) - expected).abs().max().item<double>(), 1e-7) << name_of(kind);
  }
}

TEST(PairwiseSimilarity, CosineIsThatOfWholeRowsAndOfAZeroRowZero) {
  at::manual_seed(3);
  for (const std::int64_t width : {1, 5, 64}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      at::Tensor p = at::randn({7, width}, type), q = at::randn({7, width}, type);
      p[2].zero_();
      q[3].zero_();
      // Squares of these leave float32's range.
      p[4].mul_(1e25);
      q[5].mul_(1e-25);
      const at::Tensor a = p.to(at::kDouble), b = q.to(at::kDouble);
      at::Tensor expected = (a * b).sum(1) / (a.norm(2, 1) * b.norm(2, 1));
      expected[2] = expected[3] = 0;
      const at::Tensor result = pairwise_similarity(p, q, Similarity::cosine);
      EXPECT_EQ(result.scalar_type(), at::kFloat);
      EXPECT_LE((result.to(at::kDouble) - expected).abs().max().item<double>(), 1e-7) << width;
    }
  }
}

}  // namespace
}  // namespace gausscse
