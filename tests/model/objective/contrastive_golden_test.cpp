#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "model/objective/configured_objective.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
  const TensorEntry* entry = file.find(name);
  EXPECT_NE(entry, nullptr) << name;
  at::Tensor tensor = at::empty(entry->shape, entry->dtype == Dtype::f64 ? at::kDouble : at::kFloat);
  EXPECT_EQ(tensor.nbytes(), entry->bytes.size());
  std::memcpy(tensor.mutable_data_ptr(), entry->bytes.data(), entry->bytes.size());
  return tensor.to(at::kDouble);
}

/// Values and gradients that the literal formulas gave in float64 (tests/golden/make_loss.py).
TEST(ContrastiveLossGolden, EqualsTheReleasedFormula) {
  const SafetensorsFile file = SafetensorsFile::open(golden("loss/cases.safetensors"));
  std::set<std::string> cases;
  for (const TensorEntry& entry : file.tensors()) cases.insert(entry.name.substr(0, entry.name.find('/')));
  int compared = 0;
  const double temperature = std::stod(file.metadata().at("temperature"));
  for (const std::string& name : cases) {
    const at::Tensor all = at::cat({tensor_of(file, name + "/mean"), tensor_of(file, name + "/log_var")}, 2);
    for (const auto& [kind, kind_word] : names<Similarity>) {
      if (kind == Similarity::cosine) continue;
      for (const auto& [loss, word] : names<Loss>) {
        const std::string key = concat(name, "/", kind_word, "/", word);
        if (!file.find(key + "/value")) continue;
        const double expected = tensor_of(file, key + "/value").item<double>();
        const ConfiguredObjective objective({.temperature = temperature, .loss = loss, .similarity = kind});
        const at::Tensor input = all.narrow(0, 0, objective.roles());
        at::Tensor gradient = at::empty_like(input);
        EXPECT_NEAR(objective.evaluate({input}, {0, input.size(1)}, {gradient}).item<double>(), expected,
                    1e-10 * (1 + expected))
            << key;
        ++compared;
        if (file.find(key + "/grad_mean")) {
          at::Tensor truth = at::cat({tensor_of(file, key + "/grad_mean"), tensor_of(file, key + "/grad_log_var")}, 2);
          // No loss depends on a role that it does not ask for.
          EXPECT_EQ(truth.narrow(0, objective.roles(), 3 - objective.roles()).abs().sum().item<double>(), 0) << key;
          truth = truth.narrow(0, 0, objective.roles());
          const double scale = std::max(1e-3, truth.abs().max().item<double>());
          EXPECT_LE((gradient - truth).abs().max().item<double>(), 1e-9 * scale) << key;
        }
        // The golden's inputs are float64; float32 is held to the float64 result of the inputs as rounded. Gradients of
        // equal sentences cancel to nothing: they are measured against their terms, of size 1/(temperature n d).
        const at::Tensor narrow = input.to(at::kFloat);
        at::Tensor narrow_gradient = at::empty_like(narrow);
        const double wide_value =
            objective.evaluate({narrow.to(at::kDouble)}, {0, input.size(1)}, {gradient}).item<double>();
        const double narrow_value = objective.evaluate({narrow}, {0, input.size(1)}, {narrow_gradient}).item<double>();
        EXPECT_NEAR(narrow_value, wide_value, 1e-6 * (1 + wide_value)) << key;
        const double scale = std::max(0.1, gradient.abs().max().item<double>());
        EXPECT_LE((narrow_gradient.to(at::kDouble) - gradient).abs().max().item<double>(), 1e-5 * scale) << key;
      }
    }
  }
  EXPECT_GE(compared, 80);
}

}  // namespace
}  // namespace gausscse
