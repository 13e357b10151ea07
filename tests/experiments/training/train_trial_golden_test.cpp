#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "experiments/training/train_trial.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/experiments/training/recording_observer.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::golden;

/// The trial of a case in `folder`: the recipe's defaults, and the keys that the golden names.
Trial trial_of(const json& keys, const fs::path& folder) {
  fs::copy(golden("weights/tiny-bert"), folder / "model", fs::copy_options::recursive);
  fs::copy_file(golden("training/vocab.txt"), folder / "model" / "vocab.txt");
  std::vector<std::string> overrides;
  for (const auto& [key, value] : keys.items())
    overrides.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  const std::string yaml = "format: gausscse-trial/1\nbackbone: {path: model}\noutput: out\ndata: {train: \"" +
                           golden("training/train.csv").string() + "\", dev: \"" +
                           golden("training/dev.jsonl").string() + "\", cache: cache}\n";
  return parse_trial(yaml, "golden", folder, overrides);
}

void expect_near(const std::vector<double>& values, const json& expected, double tolerance, const char* what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double truth = expected[i].get<double>();
    EXPECT_NEAR(values[i], truth, tolerance * std::abs(truth)) << what << " of step " << i;
  }
}

void expect_dev(const DevCurve& dev, const json& expected) {
  ASSERT_EQ(dev.step.size(), expected.size());
  for (std::size_t i = 0; i < dev.step.size(); ++i) {
    EXPECT_EQ(dev.step[i], expected[i].at("step").get<std::int64_t>());
    EXPECT_NEAR(dev.auprc[i], expected[i].at("auprc").get<double>(), 1e-9) << i;
    EXPECT_NEAR(dev.accuracy[i], expected[i].at("accuracy").get<double>(), 1e-9) << i;
    EXPECT_NEAR(dev.direction_sim[i], expected[i].at("direction_sim").get<double>(), 1e-9) << i;
    EXPECT_NEAR(dev.direction_var[i], expected[i].at("direction_var").get<double>(), 1e-9) << i;
  }
}

/// Compares norms and products with cos(0, 1, 2, ...) of all tensors, measured by how far training moved them.
void expect_weights(const fs::path& model, const json& expected) {
  std::size_t compared = 0;
  for (const auto& [file, prefix] : {std::pair{"model.safetensors", ""}, {"gaussian_head.safetensors", "head."}}) {
    const SafetensorsFile opened = SafetensorsFile::open(model / file);
    for (const TensorEntry& entry : opened.tensors()) {
      const std::string name = prefix + entry.name;
      ASSERT_TRUE(expected.contains(name)) << name;
      ++compared;
      // Softmax does not see the keys' bias: its gradient is rounding, which Adam makes as large as any.
      if (name.ends_with("key.bias")) continue;
      std::vector<float> values(entry.bytes.size() / sizeof(float));
      copy_to_float32(entry, values);
      double squares = 0, product = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = static_cast<double>(values[i]);
        squares += value * value;
        product += value * std::cos(static_cast<double>(i));
      }
      const double change = expected[name][2].get<double>();
      EXPECT_NEAR(std::sqrt(squares), expected[name][0].get<double>(), 2e-3 * change) << name;
      EXPECT_NEAR(product, expected[name][1].get<double>(), 2e-3 * change) << name;
    }
  }
  EXPECT_EQ(compared, expected.size());
}

/// Whole trainings as PyTorch computes them from the formulas alone, see tests/golden/make_training_steps.py.
TEST(TrainTrialGolden, EqualsPyTorch) {
  const json cases = json::parse(read_whole_file(golden("training/cases.json"), std::size_t{1} << 24));
  ASSERT_GE(cases.size(), 6u);
  for (const json& expected : cases) {
    SCOPED_TRACE(expected.at("name").get<std::string>());
    const testing_support::TemporaryFolder folder;
    const Trial trial = trial_of(expected.at("keys"), folder.path());
    testing_support::RecordingObserver observer;
    testing_support::NoRequests requests;
    const RunResult result = train_trial(trial, {}, *make_self_communicator(), observer, requests);
    expect_near(result.training.loss, expected.at("loss"), 2e-5, "loss");
    expect_near(result.training.learning_rate, expected.at("learning_rate"), 1e-12, "learning rate");
    expect_near(result.training.gradient_norm, expected.at("gradient_norm"), 2e-4, "gradient norm");
    expect_dev(result.dev, expected.at("dev"));
    ASSERT_EQ(result.states.size(), 2u);
    EXPECT_EQ(result.states[1].dev.threshold, expected.at("dev").back().at("threshold").get<double>());
    expect_weights(trial.output / "model", expected.at("tensors"));
  }
}

}  // namespace
}  // namespace gausscse
