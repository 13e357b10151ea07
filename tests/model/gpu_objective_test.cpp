#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "model/objective/configured_objective.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

// Objectives on a GPU against the same in float64 on the CPU, which is compared with brute force. Without a GPU, its
// kernels run on CPUs.

namespace gausscse {
namespace {

constexpr std::int64_t batch = 23;

struct Case {
  std::string name;
  ObjectiveSettings settings;
  std::int64_t width;
  /// Offset of all means: squares of differences are then small next to squares.
  double mean_shift = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& of) {
  return out << of.name;
}

struct Outcome {
  double loss;
  at::Tensor embeddings, parameters;  ///< gradients by them
};

ObjectiveInput input_of(const Case& of, const Objective& objective) {
  at::manual_seed(4);
  ObjectiveInput input{.embeddings = at::randn({objective.roles(), batch, of.width}, at::kDouble).mul_(0.5),
                       .step = {.seed = 3, .number = 5}};
  input.embeddings.narrow(2, 0, of.width / 2).add_(of.mean_shift);
  input.embeddings = input.embeddings.to(at::kFloat).to(at::kDouble);
  const std::int64_t parameters = count_elements(objective.parameters());
  if (parameters > 0) input.parameters = at::randn({parameters}).mul_(0.1).to(at::kDouble);
  if (objective.needs_labels())
    input.labels = {at::arange(batch, at::kLong).remainder(3), at::arange(batch, at::kLong).floor_divide(4)};
  return input;
}

Outcome outcome_on(at::Device device, at::ScalarType type, const Objective& objective, ObjectiveInput input) {
  const at::TensorOptions options = at::TensorOptions(device).dtype(type);
  input.embeddings = input.embeddings.to(options);
  if (input.parameters.defined()) input.parameters = input.parameters.to(options);
  const ObjectiveGradient gradient{at::empty_like(input.embeddings),
                                   input.parameters.defined() ? at::empty_like(input.parameters) : at::Tensor()};
  const double loss = objective.evaluate(input, {0, batch}, gradient).item<double>();
  const auto on_host = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.cpu().to(at::kDouble) : at::zeros({1}, at::kDouble);
  };
  return {loss, on_host(gradient.embeddings), on_host(gradient.parameters)};
}

class GpuObjective : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_GPU(); }
};

TEST_P(GpuObjective, IsThatOfTheCpuInFloat64) {
  const ConfiguredObjective objective(GetParam().settings, GetParam().width);
  const ObjectiveInput input = input_of(GetParam(), objective);
  const Outcome expected = outcome_on(at::kCPU, at::kDouble, objective, input);
  const Outcome found = outcome_on(gpu, at::kFloat, objective, input);
  EXPECT_GT(std::abs(expected.loss), 1e-3);
  EXPECT_NEAR(found.loss, expected.loss, 1e-5 * (1 + std::abs(expected.loss)));
  for (const auto& [one, other] :
       {std::pair(found.embeddings, expected.embeddings), std::pair(found.parameters, expected.parameters)}) {
    const double scale = other.abs().max().item<double>();
    EXPECT_LE((one - other).abs().max().item<double>(), 2e-5 * scale + 1e-12);
  }
  EXPECT_GT(expected.embeddings.abs().max().item<double>(), 1e-6);
}

ObjectiveSettings gaussian(Loss loss, Similarity similarity, bool with_simcse = false) {
  ObjectiveSettings settings;
  settings.loss = loss;
  settings.similarity = similarity;
  settings.with_simcse = with_simcse;
  return settings;
}

ObjectiveSettings of_kind(ObjectiveKind kind) {
  ObjectiveSettings settings;
  settings.kind = kind;
  settings.directions = Directions::both;
  settings.hard_negative_weight = 0.3;
  settings.activation = ClassifierActivation::tanh;
  settings.positives = settings.negatives = 3;
  return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Objectives, GpuObjective,
    testing::Values(Case{"per_dimension", gaussian(Loss::ent_con_rev, Similarity::per_dimension), 2 * 768},
                    Case{"joint", gaussian(Loss::ent_con_rev, Similarity::joint), 2 * 768},
                    Case{"joint_of_means_far_from_the_origin", gaussian(Loss::ent_con, Similarity::joint), 2 * 768, 30},
                    Case{"per_dimension_of_an_odd_width", gaussian(Loss::ent_rev, Similarity::per_dimension), 2 * 33},
                    Case{"with_simcse", gaussian(Loss::ent, Similarity::per_dimension, true), 2 * 48},
                    Case{"cosine_contrastive", of_kind(ObjectiveKind::cosine_contrastive), 768},
                    Case{"pair_classification", of_kind(ObjectiveKind::pair_classification), 64},
                    Case{"supervised_contrastive", of_kind(ObjectiveKind::supervised_contrastive), 64},
                    Case{"augmented_classification", of_kind(ObjectiveKind::augmented_classification), 64}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace gausscse
