#include "model/head/gaussian_head.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include "model/initialize.hpp"
#include "model/matmul/cpu/matmuls.hpp"
#include "model/objective/similarity.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t hidden = 24, rows = 70;
constexpr std::int64_t width_of_mlp = 13;

/// Returns every Gaussian head.
std::vector<HeadSettings> all_heads() {
  std::vector<HeadSettings> heads;
  for (const auto& [mean, word] : names<MeanLayer>)
    for (const auto& [scale, of_scale] : names<MeanScale>)
      for (const auto& [log_var, of_log_var] : names<LogVarLayer>)
        heads.push_back({HeadKind::gaussian, mean, scale, log_var, width_of_mlp});
  return heads;
}

/// A head with its random parameters, and the memory of its forward.
struct TestedHead {
  explicit TestedHead(const HeadSettings& settings, at::ScalarType type = at::kDouble,
                      Precision precision = Precision::full)
      : parameters(head_parameters(settings, hidden), type), products(parameters.values(), precision) {
    randomize(parameters, 5);
    head = make_head(settings, hidden, parameters, products);
  }

  at::Tensor forward(const at::Tensor& h) { return head->forward(h, shards(h), kept); }
  at::Tensor backward(const at::Tensor& grad) { return head->backward(grad.clone(), shards(grad), kept); }

  ParameterStore parameters;
  CpuMatmuls products;
  std::unique_ptr<Head> head;
  HeadActivations kept;

 private:
  kernels::RowShards shards(const at::Tensor& of) {
    offsets_ = {0, 1, of.size(0)};
    return {offsets_.data(), 2};
  }
  std::vector<std::int64_t> offsets_;
};

at::Tensor random_vectors() {
  at::manual_seed(3);
  return at::randn({rows, hidden}, at::kDouble);
}

at::Tensor scaled(const at::Tensor& x) {
  return x / x.square().sum({1}, true).sqrt() * std::sqrt(static_cast<double>(x.size(1)));
}

/// Returns the formula of the head, by LibTorch; `parameter` gives the parameters by name.
template <typename Parameter>
at::Tensor formula(const HeadSettings& head, const at::Tensor& h, const Parameter& parameter) {
  const auto linear = [&](const at::Tensor& x, const std::string& name) {
    return x.matmul(parameter("head." + name + ".weight").t()) + parameter("head." + name + ".bias");
  };
  const bool scales = head.scale == MeanScale::unit, is_mlp = head.log_var == LogVarLayer::mlp;
  const at::Tensor x = scales ? scaled(h) : h;
  const at::Tensor log_var = linear(is_mlp ? linear(x, "log_var.hidden").tanh() : x, "log_var");
  if (head.mean == MeanLayer::identity) return at::cat({x, log_var}, 1);
  at::Tensor mean = linear(x, "mean");
  if (head.mean == MeanLayer::tanh) mean = mean.tanh();
  return at::cat({scales ? scaled(mean) : mean, log_var}, 1);
}

double largest(const at::Tensor& difference) {
  return difference.abs().max().item<double>();
}

/// Output, and the gradients of all parameters and of the vectors, in float64 against LibTorch's autograd.
TEST(GaussianHead, EqualsItsFormulaInValueAndGradient) {
  for (const HeadSettings& settings : all_heads()) {
    SCOPED_TRACE(text_of(settings));
    TestedHead tested(settings);
    at::Tensor h = random_vectors();
    std::vector<at::Tensor> inputs{h.clone().requires_grad_()};
    std::vector<std::string> names;
    for (const ParameterSpec& spec : tested.parameters.specs()) {
      names.push_back(spec.name);
      inputs.push_back(tested.parameters.value(spec.name).clone().requires_grad_());
    }
    const at::Tensor expected = formula(settings, inputs[0], [&](const std::string& name) {
      return inputs[1 + static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
    });
    const at::Tensor grad = at::randn({rows, 2 * hidden}, at::kDouble);
    const auto gradients = torch::autograd::grad({(expected * grad).sum()}, {inputs.begin(), inputs.end()});
    ASSERT_EQ(tested.head->width(), 2 * hidden);
    EXPECT_LE(largest(tested.forward(h) - expected.detach()), 1e-12);
    tested.parameters.gradients().zero_();
    EXPECT_LE(largest(tested.backward(grad) - gradients[0]), 1e-10 * largest(gradients[0]));
    for (std::size_t i = 0; i < names.size(); ++i)
      EXPECT_LE(largest(tested.parameters.gradient(names[i]) - gradients[1 + i]), 1e-10 * largest(gradients[1 + i]))
          << names[i];
  }
}

/// The layers write columns of longer rows, in any precision.
TEST(GaussianHead, EqualsFloat64InOtherPrecisions) {
  for (const HeadSettings& settings : all_heads())
    for (const Precision precision : {Precision::full, Precision::bfloat16}) {
      SCOPED_TRACE(concat(text_of(settings), ", ", name_of(precision)));
      const double tolerance = precision == Precision::full ? 2e-5 : 0.06;
      TestedHead tested(settings, at::kFloat, precision), wide(settings);
      const at::Tensor h = random_vectors(), grad = at::randn({rows, 2 * hidden}, at::kDouble);
      wide.parameters.gradients().zero_();
      tested.parameters.gradients().zero_();
      const at::Tensor expected = wide.forward(h);
      EXPECT_LE(largest(tested.forward(h.to(at::kFloat)) - expected), tolerance * largest(expected));
      const at::Tensor by_vectors = wide.backward(grad);
      EXPECT_LE(largest(tested.backward(grad.to(at::kFloat)) - by_vectors), tolerance * largest(by_vectors));
      for (const ParameterSpec& spec : wide.parameters.specs()) {
        const at::Tensor truth = wide.parameters.gradient(spec.name);
        EXPECT_LE(largest(tested.parameters.gradient(spec.name) - truth), tolerance * largest(truth)) << spec.name;
      }
    }
}

TEST(GaussianHead, ScalesMeansToTheRootOfTheirDimensions) {
  for (const HeadSettings& settings : all_heads()) {
    const at::Tensor means = TestedHead(settings).forward(random_vectors()).narrow(1, 0, hidden);
    const at::Tensor differences = (means.square().sum({1}) - static_cast<double>(hidden)).abs();
    if (settings.scale == MeanScale::unit)
      EXPECT_LE(differences.max().item<double>(), 1e-12) << text_of(settings);
    else
      EXPECT_GE(differences.min().item<double>(), 1e-3) << text_of(settings);
  }
}

/// No direction: the vector stays zero, and so does its gradient, while other rows are as if it were not there.
TEST(GaussianHead, KeepsZeroVectors) {
  for (const HeadSettings& settings : all_heads()) {
    SCOPED_TRACE(text_of(settings));
    const at::Tensor h = random_vectors(), grad = at::randn({rows, 2 * hidden}, at::kDouble);
    TestedHead usual(settings), tested(settings);
    at::Tensor with_zero = h.clone();
    with_zero[3].zero_();
    const at::Tensor expected = usual.forward(h), given = tested.forward(with_zero);
    EXPECT_TRUE(given.isfinite().all().item<bool>());
    const auto others = [](const at::Tensor& of) {
      return at::cat({of.narrow(0, 0, 3), of.narrow(0, 4, rows - 4)}, 0);
    };
    EXPECT_LE(largest(others(given) - others(expected)), 1e-13);
    if (settings.mean == MeanLayer::identity) {
      EXPECT_EQ(largest(given[3].narrow(0, 0, hidden)), 0);
    }
    const at::Tensor usual_gradient = usual.backward(grad), gradient = tested.backward(grad);
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
    EXPECT_LE(largest(others(gradient) - others(usual_gradient)), 1e-12);
    if (settings.scale == MeanScale::unit) {
      EXPECT_EQ(largest(gradient[3]), 0);
    }
    EXPECT_TRUE(tested.parameters.gradients().isfinite().all().item<bool>());
  }
}

/// The mean is the vector, scaled or not, and the log-variance the same for all sentences.
TEST(GaussianHead, StartsAtTheVector) {
  for (const HeadSettings& settings : all_heads()) {
    if (settings.mean == MeanLayer::tanh) continue;
    SCOPED_TRACE(text_of(settings));
    TestedHead tested(settings);
    std::vector<double> log_var(hidden);
    for (std::size_t i = 0; i < log_var.size(); ++i) log_var[i] = 0.1 * static_cast<double>(i) - 1;
    start_at_identity(tested.parameters);
    set_log_var_bias(tested.parameters, log_var);
    tested.products.parameters_changed();
    const at::Tensor h = random_vectors(), given = tested.forward(h);
    EXPECT_LE(largest(given.narrow(1, 0, hidden) - (settings.scale == MeanScale::unit ? scaled(h) : h)), 1e-13);
    for (std::int64_t i = 0; i < hidden; ++i)
      EXPECT_TRUE((given.select(1, hidden + i) == log_var[static_cast<std::size_t>(i)]).all().item<bool>());
    if (settings.log_var == LogVarLayer::mlp) {
      EXPECT_GT(largest(tested.parameters.value("head.log_var.hidden.weight")), 0) << "else nothing could be learnt";
    }
  }
}

/// With equal log-variances and means of one length the divergence falls with the cosine.
TEST(GaussianHead, KeepsTheOrderOfCosinesBeforeTheFirstStep) {
  TestedHead tested({HeadKind::gaussian, MeanLayer::identity, MeanScale::unit}, at::kFloat);
  start_at_identity(tested.parameters);
  set_log_var_bias(tested.parameters, std::vector<double>(hidden, -0.75));
  tested.products.parameters_changed();
  const at::Tensor h = random_vectors();
  const at::Tensor embeddings = tested.forward(h.to(at::kFloat));
  std::vector<double> of_pairs;
  for (std::int64_t i = 1; i < rows; ++i)
    of_pairs.push_back(row_similarity(embeddings[i].const_data_ptr<float>(), embeddings[0].const_data_ptr<float>(),
                                      2 * hidden, Similarity::joint));
  const at::Tensor similarities = at::tensor(of_pairs, at::kDouble);
  const at::Tensor units = scaled(h) / std::sqrt(static_cast<double>(hidden));
  const at::Tensor cosines = units.narrow(0, 1, rows - 1).matmul(units[0]);
  EXPECT_TRUE(similarities.argsort().equal(cosines.argsort()));
  // 1 / (1 + KL), KL = |difference of means|^2 / (2 variance), |difference|^2 = 2 hidden (1 - cosine).
  const at::Tensor expected = 1 / (1 + static_cast<double>(hidden) * (1 - cosines) * std::exp(0.75));
  EXPECT_LE(largest(similarities - expected), 1e-5);
}

TEST(HeadSettings, AreNamedInWords) {
  EXPECT_EQ(text_of({HeadKind::mlp_tanh, MeanLayer::linear, MeanScale::unit}), "mlp_tanh");
  EXPECT_EQ(text_of({}), "gaussian, mean tanh");
  EXPECT_EQ(text_of({HeadKind::gaussian, MeanLayer::identity, MeanScale::unit, LogVarLayer::mlp, 128}),
            "gaussian, mean identity, scale unit, log_var mlp of 128");
}

}  // namespace
}  // namespace gausscse
