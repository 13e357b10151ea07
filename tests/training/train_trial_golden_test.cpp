#include <nlohmann/json.hpp>

#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/device_of_goldens.hpp"
#include "tests/training/tiny_training.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Returns whether a training has a classifier: its predictions at the end are part of the golden.
bool has_classifier(const json& of_case) {
  return of_case.contains("predictions");
}

/// Returns the golden's training data and the keys that it names, as overrides.
std::vector<std::string> overrides_of(const json& of_case) {
  const std::string train = of_case.at("train");
  std::vector<std::string> overrides{"data.train=[" + golden("training/" + train).string() + "]"};
  if (has_classifier(of_case))
    overrides.push_back("tasks.labels={kind: nli_labels, files: \"" + golden("training/dev.jsonl").string() + "\"}");
  for (const auto& [key, value] : of_case.at("keys").items()) overrides.push_back(key + "=" + value.dump());
  return overrides;
}

void expect_near(const std::vector<double>& values, const json& expected, double tolerance, const char* what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double truth = expected[i].get<double>();
    EXPECT_NEAR(values[i], truth, tolerance * std::abs(truth)) << what << " of step " << i;
  }
}

constexpr double pairs_of_dev = 24, entailments_of_dev = 9;

/// Bound of how far apart dev's metrics are when one pair changes its place with its neighbour, or its side of the
/// threshold: accuracy counts all pairs, the others entailments alone. In AUPRC a recall is 1 / entailments wide, and a
/// precision changes by less than 1.
double change_by_one_pair(const std::string& metric) {
  return 1 / (metric == "accuracy" ? pairs_of_dev : entailments_of_dev);
}

/// Thresholds are multiples of this.
constexpr double threshold_step = 0.001;

/// Metrics of ranks and sides are equal or a whole pair apart. A threshold stays next to where it was, unless a pair
/// changed its side: then another one may be the best.
double tolerance_of(const std::string& metric, bool accuracy_is_equal) {
  if (golden_tolerances.pairs == 0) return 1e-9;
  if (metric == "threshold") return accuracy_is_equal ? threshold_step + 1e-9 : 1.0;
  return 1e-9 + golden_tolerances.pairs * change_by_one_pair(metric);
}

void expect_curve(const std::vector<Curve>& curves, const json& expected) {
  ASSERT_EQ(curves.size(), 1u);
  const Curve& dev = curves.front();
  EXPECT_EQ(dev.task, "dev");
  ASSERT_EQ(dev.step.size(), expected.size());
  std::vector<double> accuracy(dev.step.size(), -1.0);
  for (const Curve::Line& line : dev.lines)
    if (line.metric == "accuracy") accuracy = line.values;
  std::size_t compared = 0;
  for (const Curve::Line& line : dev.lines) {
    if (!expected.front().contains(line.metric)) continue;
    ++compared;
    for (std::size_t i = 0; i < dev.step.size(); ++i) {
      const json& truth = expected[i].at(line.metric);
      if (truth.is_null())
        EXPECT_TRUE(std::isnan(line.values[i])) << line.metric;
      else
        EXPECT_NEAR(line.values[i], truth.get<double>(),
                    tolerance_of(line.metric, std::abs(accuracy[i] - expected[i].at("accuracy").get<double>()) < 1e-9))
            << line.metric << " of evaluation " << i;
    }
  }
  EXPECT_EQ(compared + 1, expected.front().size()) << "all but the step";
  for (std::size_t i = 0; i < dev.step.size(); ++i) EXPECT_EQ(dev.step[i], expected[i].at("step").get<std::int64_t>());
}

/// Returns whether divergences do not see the bias of means, as those are linear and as long as they are.
bool has_free_bias(const std::string& configuration) {
  return configuration.find("mean: linear") != std::string::npos &&
         configuration.find("scale: unit") == std::string::npos;
}

/// Compares the metrics of the end alone.
void expect_last(const RunResult& result, const json& expected) {
  EXPECT_TRUE(result.curves.empty());
  const double accuracy = metric_in(result, "last", "dev", "accuracy");
  for (const auto& [metric, truth] : expected.items()) {
    if (metric == "step") continue;
    EXPECT_NEAR(metric_in(result, "last", "dev", metric), truth.get<double>(),
                tolerance_of(metric, std::abs(accuracy - expected.at("accuracy").get<double>()) < 1e-9))
        << metric;
  }
}

/// Compares norms and products with cos(0, 1, 2, ...) of all tensors, measured by how far training moved them.
void expect_weights(const fs::path& model, bool free_bias, const json& expected) {
  const std::vector<std::string> names = expected.at("name");
  std::size_t compared = 0;
  for (const auto& [file, prefix] : {std::pair{"model.safetensors", ""}, {"gausscse.safetensors", "head."}}) {
    const SafetensorsFile opened = SafetensorsFile::open(model / file);
    for (const TensorEntry& entry : opened.tensors()) {
      const std::string name = entry.name.starts_with("objective.") ? entry.name : prefix + entry.name;
      const auto row = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      ASSERT_LT(row, names.size()) << name;
      ++compared;
      // Softmax does not see the keys' bias, nor divergences that of linear means: their gradients are rounding, which
      // Adam makes as large as any.
      const bool of_keys = name.ends_with("key.bias") || name.ends_with("attn.k.bias") || name.ends_with("k_lin.bias");
      if (of_keys || (free_bias && name == "head.mean.bias")) continue;
      std::vector<float> values(entry.bytes.size() / sizeof(float));
      copy_to_float32(entry, values);
      double squares = 0, product = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = static_cast<double>(values[i]);
        squares += value * value;
        product += value * std::cos(static_cast<double>(i));
      }
      const double change = expected["change"][row].get<double>();
      // One that is not trained does not change; its sums are those of another order.
      const double norm = expected["norm"][row].get<double>(),
                   tolerance = golden_tolerances.weights * change + 1e-12 * norm;
      EXPECT_NEAR(std::sqrt(squares), norm, tolerance) << name;
      EXPECT_NEAR(product, expected["product"][row].get<double>(), tolerance) << name;
    }
  }
  EXPECT_EQ(compared, names.size());
}

/// Expects the classifier's labels of dev in the end, and their metrics, counted here.
void expect_labels(const RunResult& result, const json& predictions) {
  const Measurement* measurement = find_measurement(find_state(result, "last")->tasks, "labels");
  ASSERT_TRUE(measurement);
  ASSERT_EQ(measurement->columns.size(), 3u);
  EXPECT_EQ(measurement->columns[2].name, "cluster");
  const auto& label = std::get<std::vector<std::uint8_t>>(measurement->columns[0].values);
  const auto& told = std::get<std::vector<std::uint8_t>>(measurement->columns[1].values);
  const auto expected = predictions.get<std::vector<std::uint8_t>>();
  ASSERT_EQ(told.size(), expected.size());
  int other = 0;
  for (std::size_t i = 0; i < told.size(); ++i) other += told[i] != expected[i];
  EXPECT_LE(other, golden_tolerances.pairs);
  const char* names[] = {"entailment", "neutral", "contradiction"};
  double right = 0, right_of[3] = {}, of[3] = {}, counts[3][3] = {};
  for (std::size_t i = 0; i < label.size(); ++i) {
    right += label[i] == told[i];
    right_of[label[i]] += label[i] == told[i];
    ++of[label[i]];
    ++counts[label[i]][told[i]];
  }
  EXPECT_EQ(metric_of(*measurement, "pairs"), 24);
  EXPECT_DOUBLE_EQ(metric_of(*measurement, "accuracy"), right / 24);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(metric_of(*measurement, std::string("accuracy.") + names[i]), right_of[i] / of[i]);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(metric_of(*measurement, std::string("confusion.") + names[i] + "." + names[j]), counts[i][j]);
  }
}

/// Whole trainings as PyTorch computes them from the formulas alone, see tests/golden/make_training_steps.py.
const json& cases() {
  static const json all = json::parse(read_whole_file(golden("training/cases.json"), std::size_t{1} << 24));
  return all;
}

class TrainTrialGolden : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_DEVICE(); }
};

TEST_P(TrainTrialGolden, EqualsPyTorch) {
  const json& expected = cases()[GetParam()];
  TinyTraining training;
  training.options.device = device_of_goldens;
  std::vector<std::string> overrides = overrides_of(expected);
  if (expected.contains("backbone"))
    overrides.push_back("model.backbone.path=" + training.backbone(expected.at("backbone")));
  const auto [result, told, model] = training.train(overrides);
  expect_near(result.training.loss, expected.at("loss"), golden_tolerances.loss, "loss");
  expect_near(result.training.learning_rate, expected.at("learning_rate"), 1e-12, "learning rate");
  expect_near(result.training.gradient_norm, expected.at("gradient_norm"), golden_tolerances.gradient_norm,
              "gradient norm");
  if (expected.at("keys").at("tasks.dev.eval_every") == 0)
    expect_last(result, expected.at("dev").back());
  else
    expect_curve(result.curves, expected.at("dev"));
  ASSERT_EQ(result.states.size(), 2u);
  EXPECT_EQ(result.states[1].state, backbone_state);
  if (golden_tolerances.pairs == 0) {
    EXPECT_EQ(metric_in(result, "last", "dev", "threshold"), expected.at("dev").back().at("threshold").get<double>());
  }
  if (has_classifier(expected)) expect_labels(result, expected.at("predictions"));
  expect_weights(model, has_free_bias(result.configuration), expected.at("tensors"));
}

INSTANTIATE_TEST_SUITE_P(Trainings, TrainTrialGolden, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& of) {
                           std::string name = cases()[of.param].at("name");
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace gausscse
