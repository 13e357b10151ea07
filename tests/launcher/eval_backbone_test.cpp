#include <nlohmann/json.hpp>

#include "tests/launcher/metrics.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
/// A training of a backbone whose own pooling, the mean, is not the trial's.
class EvalBackbone : public TinyProjectTest {
 protected:
  EvalBackbone() {
    write_bytes(project_.model() / "modules.json",
                R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
    fs::create_directory(project_.model() / "1_Pooling");
    write_bytes(project_.model() / "1_Pooling" / "config.json", R"({"pooling_mode_mean_tokens": true})");
  }

  RunResult train(const std::vector<std::string>& overrides = {}) {
    return train_to_result(project_, "out", 0, with({"training.precision=fp32"}, overrides));
  }

  /// Returns the report of the project's test set.
  json evaluate(const fs::path& model, const std::vector<std::string>& flags = {}, int ranks = 0) {
    const fs::path report = folder_ / "report.json";
    run_ = run_program(
        with({"eval", model.string(), "--test", "tiny=" + project_.test().string(), "--json", report, "--overwrite"},
             flags),
        ranks);
    EXPECT_EQ(run_.exit_code, 0) << run_.errors;
    return json::parse(read_whole_file(report, 1 << 20));
  }

  fs::path model() const { return project_.output() / "model"; }

  ProgramRun run_;
};

/// Metrics of the backbone in a task, as the training measured them.
json metrics_of_backbone(const RunResult& result, const char* task) {
  json metrics = json::object();
  for (const Metric& metric : measurement_in(*find_state(result, backbone_state), task).metrics) {
    if (std::isnan(metric.value))
      metrics[metric.name] = nullptr;
    else
      metrics[metric.name] = metric.unit == Unit::count ? json(static_cast<int>(metric.value)) : json(metric.value);
  }
  return metrics;
}

TEST_F(EvalBackbone, IsMeasuredAsInTheTraining) {
  const RunResult result = train();
  for (const int ranks : {0, 2}) {
    const json report = evaluate(model(), {"--dev", project_.dev().string()}, ranks);
    for (const char* task : {"dev", "tiny"})
      EXPECT_EQ(report.at("backbone").at(task), metrics_of_backbone(result, task));
    EXPECT_NE(report.at("tasks").at("tiny").at("auprc"), report.at("backbone").at("tiny").at("auprc"));
    EXPECT_TRUE(says(run_.errors,
                     concat("the backbone ", project_.model().string(), " is measured as well: pooling mean, cosine")));
    EXPECT_TRUE(says(run_.output, "\n- backbone "));
  }
}

/// The threshold that the training chose for the backbone is that of its cosine.
TEST_F(EvalBackbone, HasAThresholdOfItsOwn) {
  const RunResult result = train();
  const json metrics = evaluate(project_.output()).at("backbone").at("tiny"),
             trained = metrics_of_backbone(result, "tiny");
  for (const char* metric : {"threshold", "accuracy", "auprc"})
    EXPECT_EQ(metrics.at(metric), trained.at(metric)) << metric;
  EXPECT_FALSE(metrics.contains("platt.auprc")) << "a calibration was fitted to the model, not to the backbone";
}

TEST_F(EvalBackbone, OfAModelApartIsGiven) {
  const RunResult result = train();
  const fs::path apart = folder_ / "apart" / "copy";
  fs::create_directory(apart.parent_path());
  fs::copy(model(), apart, fs::copy_options::recursive);
  EXPECT_FALSE(evaluate(apart).contains("backbone"));
  EXPECT_TRUE(
      says(run_.errors,
           "copy is not measured: its folder has no result of a run next to it; give its folder by --backbone FOLDER"));
  const json metrics = evaluate(apart, {"--backbone", project_.model().string()}).at("backbone").at("tiny");
  EXPECT_EQ(metrics.at("auprc"), metrics_of_backbone(result, "tiny").at("auprc"));
  for (const char* metric : {"threshold", "accuracy", "accuracy.entailment"})
    EXPECT_FALSE(metrics.contains(metric)) << "no threshold of its cosine is known: " << metric;
  // With a set to choose one on it is known.
  EXPECT_EQ(evaluate(apart, {"--backbone", project_.model().string(), "--dev", project_.dev().string()})
                .at("backbone")
                .at("tiny"),
            metrics_of_backbone(result, "tiny"));
}

TEST_F(EvalBackbone, ThatHasChangedIsNotMeasured) {
  train();
  const fs::path config = project_.model() / "config.json";
  const std::string content = read_whole_file(config, 1 << 20);
  write_bytes(config, content + "\n");
  EXPECT_FALSE(evaluate(model()).contains("backbone"));
  EXPECT_TRUE(says(run_.errors, concat(config.string(), " has another content; give its folder by --backbone FOLDER")));
  fs::remove_all(project_.model());
  EXPECT_FALSE(evaluate(model()).contains("backbone"));
  EXPECT_TRUE(says(run_.errors, "is not measured: there is no "));
}

TEST_F(EvalBackbone, IsLeftOutWhereNobodyAsksForIt) {
  train({"evaluation.backbone=false"});
  EXPECT_FALSE(evaluate(model()).contains("backbone"));
  EXPECT_FALSE(says(run_.errors, "backbone")) << "the training measured none either";
  EXPECT_TRUE(evaluate(model(), {"--backbone", project_.model().string()}).contains("backbone"));
  EXPECT_FALSE(evaluate(model(), {"--backbone", "none"}).contains("backbone"));
  EXPECT_FALSE(says(run_.errors, "backbone"));
}

TEST_F(EvalBackbone, AnEncoderIsOneItself) {
  EXPECT_FALSE(evaluate(project_.model(), {"--own-dev", "tiny=" + project_.dev().string()}).contains("backbone"));
  EXPECT_FALSE(says(run_.errors, "backbone"));
  run_expecting(2, {"eval", project_.model(), "--dev", project_.dev(), "--backbone", project_.model()},
                {"is no model of a training, so it has no backbone: leave --backbone out"});
  train();
  run_expecting(2, {"eval", model(), "--dev", project_.dev(), "--backbone", path("none-there")});
}

}  // namespace
}  // namespace gausscse
