#include "experiments/manifest/manifest.hpp"

#include "experiments/manifest/metric_name.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::vector<std::string> labels_of_points(const Stage& stage) {
  std::vector<std::string> texts;
  for (const std::vector<Axis::Value>& point : stage.points) {
    std::string text;
    for (const Axis::Value& value : point) text += (text.empty() ? "" : " ") + value.label;
    texts.push_back(text);
  }
  return texts;
}

TEST(Manifest, HasWhatIsWritten) {
  const Manifest manifest = parse_study(study_manifest, "/base");
  EXPECT_EQ(manifest.name, "sample");
  EXPECT_EQ(manifest.base_folder, "/base");
  EXPECT_EQ(manifest.text, study_manifest);
  EXPECT_TRUE(manifest.keep_models);
  ASSERT_EQ(manifest.stages.size(), 2u);
  const Stage& choose = manifest.stages[0];
  EXPECT_EQ(choose.name, "choose");
  EXPECT_EQ(choose.seeds, (std::vector<std::int64_t>{0}));
  EXPECT_FALSE(choose.best_of.has_value());
  ASSERT_EQ(choose.grid.size(), 3u);
  EXPECT_EQ(choose.grid[0].name, "backbone");
  EXPECT_EQ(choose.grid[2].name, "training.learning_rate");
  EXPECT_EQ(choose.grid[2].values[1].label, "3.0e-5");
  EXPECT_EQ(manifest.stages[1].name, "final");
  const Stage& last = manifest.stages[1];
  EXPECT_EQ(last.seeds, (std::vector<std::int64_t>{3, 5}));
  ASSERT_TRUE(last.best_of.has_value());
  EXPECT_EQ(last.best_of->stage, "choose");
  EXPECT_EQ(last.best_of->metric, "dev.auprc");
  EXPECT_EQ(last.best_of->within, (std::vector<std::string>{"backbone"}));
  EXPECT_EQ(last.best_of->failed, setting::FailedTrials::block);
}

TEST(Manifest, PointsAreTheProductWithTheLastAxisFastest) {
  const Manifest manifest = parse_study(study_manifest, "/base");
  EXPECT_EQ(labels_of_points(manifest.stages[0]),
            (std::vector<std::string>{"small 16 1e-5", "small 16 3.0e-5", "small 32 1e-5", "small 32 3.0e-5",
                                      "large 16 1e-5", "large 16 3.0e-5", "large 32 1e-5", "large 32 3.0e-5"}));
  EXPECT_EQ(labels_of_points(manifest.stages[1]),
            (std::vector<std::string>{"large ent", "large ent+con", "small ent", "small ent+con"}));
}

TEST(Manifest, PointsAreLeftOutAndAdded) {
  const std::string text =
      replaced(study_manifest, "      training.learning_rate: [1e-5, 3.0e-5]\n",
               "      training.learning_rate: [1e-5, 3.0e-5]\n"
               "    exclude:\n"
               "      - {backbone: large, training.batch_size: [16, 32]}\n"
               "      - {training.batch_size: 16, training.learning_rate: 1e-5}\n"
               "    include:\n"
               "      - {backbone: large, training.learning_rate: 7e-5, training.batch_size: 64}\n");
  const Manifest manifest = parse_study(text, "/base");
  const Stage& stage = manifest.stages[0];
  EXPECT_EQ(labels_of_points(stage),
            (std::vector<std::string>{"small 16 3.0e-5", "small 32 1e-5", "small 32 3.0e-5", "large 64 7e-5"}));
  // They are in the order of the axes, not in that of the entry.
  EXPECT_EQ(stage.points.back()[2].settings.entries.front().key, "training.learning_rate");
}

TEST(Manifest, AStageWithoutAGridHasOnePoint) {
  const Manifest manifest =
      parse_study("format: gausscse-manifest/1\nname: one\nstages: {only: {seeds: [1, 2]}}\n", "/base");
  ASSERT_EQ(manifest.stages.size(), 1u);
  ASSERT_EQ(manifest.stages[0].points.size(), 1u);
  EXPECT_TRUE(manifest.stages[0].points[0].empty());
  EXPECT_EQ(manifest.stages[0].seeds.size(), 2u);
}

TEST(Manifest, ResourcesAreRead) {
  const Manifest manifest =
      parse_study(study_manifest +
                      "resources: {launcher: mpirun, ranks: 4, threads: 2, gpus: true, "
                      "launcher_arguments: [--map-by, node]}\nkeep_models: false\ntitle: A title\n",
                  "/base");
  EXPECT_EQ(manifest.resources.launcher, setting::Launcher::mpirun);
  EXPECT_EQ(manifest.resources.ranks, 4);
  EXPECT_EQ(manifest.resources.threads, 2);
  EXPECT_EQ(manifest.resources.gpus, 1);
  const auto gpus_of = [](const std::string& value) {
    return parse_study(concat(study_manifest, "resources: {gpus: ", value, "}\n"), "/base").resources.gpus;
  };
  EXPECT_EQ(gpus_of("0.25"), 0.25);
  EXPECT_EQ(gpus_of("1"), 1);
  EXPECT_EQ(gpus_of("false"), 0);
  EXPECT_EQ(parse_study(study_manifest, "/base").resources.gpus, 0);
  for (const char* wrong : {"0", "1.5", "-1", "half"})
    EXPECT_TRUE(says(refusal_of([&] { gpus_of(wrong); }), "true or false, or a number above 0 to 1")) << wrong;
  EXPECT_EQ(manifest.resources.launcher_arguments, (std::vector<std::string>{"--map-by", "node"}));
  EXPECT_FALSE(manifest.keep_models);
  EXPECT_EQ(manifest.title, "A title");
}

TEST(Manifest, TablesAreRead) {
  const std::string table =
      "  grid:\n"
      "    title: The grid\n"
      "    stage: choose\n"
      "    rows: training.batch_size\n"
      "    columns: [training.learning_rate]\n"
      "    figures: [{figure: dev.auprc, title: AUPRC, dataset: snli, metric: auprc}, average.nli.accuracy]\n"
      "    aggregation: highest\n"
      "    compare: backbone\n"
      "    cut: true\n"
      "    paper: {source: v2, table: 5, columns: {model: backbone, batch_size: training.batch_size}}\n";
  const Manifest manifest = parse_study(study_manifest + table, "/base");
  ASSERT_EQ(manifest.tables.size(), 2u);
  EXPECT_EQ(manifest.tables[0].name, "nli");
  EXPECT_EQ(manifest.tables[0].stage, "");
  EXPECT_EQ(manifest.tables[0].choice,
            (TableChoice{"choose", "dev.auprc", {"training.batch_size", "training.learning_rate"}}));
  EXPECT_EQ(manifest.tables[0].aggregation, setting::Aggregation::mean);
  const TableSettings& grid = manifest.tables[1];
  EXPECT_EQ(grid.choice, TableChoice{}) << "the first stage takes nothing over";
  EXPECT_EQ(grid.name, "grid");
  EXPECT_EQ(grid.title, "The grid");
  EXPECT_EQ(grid.stage, "choose");
  EXPECT_EQ(grid.rows, (std::vector<std::string>{"training.batch_size"}));
  EXPECT_EQ(grid.columns, (std::vector<std::string>{"training.learning_rate"}));
  ASSERT_EQ(grid.metrics.size(), 2u);
  EXPECT_EQ(grid.metrics[0], (TableMetric{"dev.auprc", "AUPRC", "snli", "auprc"}));
  EXPECT_EQ(grid.metrics[1].metric, "average.nli.accuracy");
  EXPECT_EQ(grid.aggregation, setting::Aggregation::highest);
  EXPECT_EQ(grid.compare, "backbone");
  EXPECT_TRUE(grid.cut);
  EXPECT_EQ(grid.paper.source, "v2");
  EXPECT_EQ(grid.paper.table, "5");
  EXPECT_EQ(grid.paper.columns, (std::vector<std::pair<std::string, std::string>>{
                                    {"model", "backbone"}, {"batch_size", "training.batch_size"}}));
}

TEST(MetricsNamed, AreTheMetricOrThoseOfAMean) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(metrics_named("dev.auprc"), Names{"dev.auprc"});
  EXPECT_EQ(metrics_named("sts12.spearman.MSRpar"), Names{"sts12.spearman.MSRpar"});
  EXPECT_EQ(metrics_named("mean(a.x, b.y,c.z )"), (Names{"a.x", "b.y", "c.z"}));
  EXPECT_EQ(metrics_named("mean(a.x)"), Names{"a.x"});
  for (const char* none : {"", "dev", ".auprc", "dev.", "mean()", "mean(a.x,)", "mean(a.x", "mean(a)", "a.x, b.y",
                           "max(a.x)", "mean(mean(a.x))"})
    EXPECT_EQ(metrics_named(none), Names{}) << none;
  EXPECT_EQ(task_of_metric("sts12.spearman.MSRpar"), "sts12");
}

/// An axis on which an earlier stage chose is one of the later stage's trials, too.
TEST(Manifest, ATableMayHaveAxesThatAnEarlierStageChose) {
  const std::string table = "  chosen: {rows: [training.batch_size], figures: [test.accuracy]}\n";
  EXPECT_NO_THROW(parse_study(study_manifest + table, "/base"));
}

}  // namespace
}  // namespace gausscse
