#include <nlohmann/json.hpp>

#include "results/json_report.hpp"
#include "results/result_text.hpp"
#include "results/text_table.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(JsonReport, HasEveryMetricAsAFractionInOrder) {
  EXPECT_EQ(json_report(sample_result().states[0]), R"({
  "format": "gausscse-report/2",
  "state": "best",
  "step": 2,
  "tasks": {
    "dev": {
      "pairs": 4,
      "accuracy": 0.75,
      "threshold": 0.613,
      "auprc": 0.55125,
      "directed_pairs": 2,
      "direction_sim": 0.5,
      "direction_var": 1.0,
      "direction_length": 0.9264
    },
    "snli": {
      "pairs": 2,
      "accuracy": 0.3333333333333333,
      "threshold": 0.613,
      "auprc": 0.5,
      "directed_pairs": 2,
      "direction_sim": null,
      "direction_var": 1.0,
      "direction_length": 0.9264
    },
    "mnli": {
      "pairs": 4,
      "accuracy": 0.75,
      "threshold": 0.613,
      "auprc": 0.75,
      "directed_pairs": 2,
      "direction_sim": 0.5,
      "direction_var": 1.0,
      "direction_length": 0.9264
    },
    "sts12": {
      "spearman": 0.6119,
      "spearman.MSRpar": 0.5,
      "missing_subsets": 1
    }
  },
  "kinds": {
    "dev": "nli",
    "snli": "nli",
    "mnli": "nli",
    "sts12": "sts"
  },
  "units": {
    "dev": {
      "pairs": "count",
      "threshold": "number",
      "directed_pairs": "count"
    },
    "snli": {
      "pairs": "count",
      "threshold": "number",
      "directed_pairs": "count"
    },
    "mnli": {
      "pairs": "count",
      "threshold": "number",
      "directed_pairs": "count"
    },
    "sts12": {
      "missing_subsets": "count"
    }
  },
  "development": [
    "dev"
  ],
  "remarks": {
    "sts12": "partial, without MSRvid"
  },
  "check": "6da5eaa0ceba09632147a2e6327708ba"
}
)");
  // xxhash of {"format":"gausscse-report/2","tasks":{}}, by Python, as above.
  EXPECT_EQ(json_report(StateResult{}),
            "{\n  \"format\": \"gausscse-report/2\",\n  \"tasks\": {},\n"
            "  \"check\": \"1a80c12ae189dee25c3dc4913d89605d\"\n}\n");
}

TEST(JsonReport, TakesThePlaceOfAFileWhereAsked) {
  const TemporaryFolder folder;
  const std::vector<InputPath> inputs = {{"--dev", folder / "dev.json"}};
  const auto refusal = [&](const std::filesystem::path& path, ExistingFile existing) {
    return refusal_of([&] { check_report_file(path, inputs, existing); });
  };
  for (const char* name : {"dev.json", "earlier.json"})
    write_bytes(folder / name, json_report(sample_result().states[0]));
  for (const ExistingFile existing : {ExistingFile::refuse, ExistingFile::replace}) {
    EXPECT_EQ(refusal(folder / "new.json", existing), "accepted");
    EXPECT_EQ(refusal("-", existing), "accepted");
    EXPECT_EQ(refusal("", existing), "accepted");
    EXPECT_TRUE(says(refusal(folder / "dev.json", existing), "is the file that is read as --dev"));
    EXPECT_TRUE(says(refusal(folder / "missing/new.json", existing), "there is no folder"));
  }
  EXPECT_EQ(refusal(folder / "earlier.json", ExistingFile::replace), "accepted");
  EXPECT_TRUE(says(refusal(folder / "earlier.json", ExistingFile::refuse), "earlier.json is there already"));
}

/// The command that resumes a training is the one that began it.
TEST(JsonReport, OfARunTakesThePlaceOfAReportOnly) {
  const TemporaryFolder folder;
  const std::vector<InputPath> inputs = {{"--dev", folder / "dev.json"}};
  const auto refusal = [&](const std::string& name) {
    return refusal_of([&] { check_report_of_run("--json", folder / name, inputs); });
  };
  const std::string report = json_report(sample_result().states[0]);
  for (const char* name : {"dev.json", "earlier.json"}) write_bytes(folder / name, report);
  EXPECT_EQ(refusal("earlier.json"), "accepted");
  EXPECT_EQ(refusal("new.json"), "accepted");
  EXPECT_TRUE(says(refusal("dev.json"), "is the file that is read as --dev"));
  EXPECT_TRUE(says(refusal("missing/new.json"), "there is no folder"));
  for (const std::string& other :
       {std::string(), std::string("my words"), std::string("[1]"), std::string("{}"), std::string("{\"format\": 1}"),
        std::string("{\"format\": \"gausscse-trial/2\"}"), std::string(R"({"a": {"format": "gausscse-report/2"}})"),
        report.substr(0, report.size() - 3)}) {
    write_bytes(folder / "mine.json", other);
    EXPECT_TRUE(says(refusal("mine.json"), "mine.json is there already and is no report of a training")) << other;
  }
}

TEST(MeasurementTable, HasATableOfEachKindInPercent) {
  EXPECT_EQ(measurement_table(sample_result().states[0]),
            "best state, after 2 steps\n"
            "nli   pairs  accuracy %  threshold  auprc %  directed_pairs  direction_sim %  direction_var %\n"
            "dev       4       75.00     0.6130    55.12               2            50.00           100.00\n"
            "snli      2       33.33     0.6130    50.00               2                -           100.00\n"
            "mnli      4       75.00     0.6130    75.00               2            50.00           100.00\n"
            "nli   direction_length %\n"
            "dev                92.64\n"
            "snli               92.64\n"
            "mnli               92.64\n"
            "sts    spearman %  missing_subsets\n"
            "sts12       61.19                1\n"
            "sts12: partial, without MSRvid\n");
  StateResult of_no_training = sample_result().states[1];
  of_no_training.state.clear();
  EXPECT_TRUE(measurement_table(of_no_training).starts_with("nli "));
}

/// Two metrics of a task of a kind.
Measurement measured(const std::string& task, const std::string& kind, double accuracy, double pairs,
                     const std::string& remark = "") {
  return {task, kind,  false, {{"accuracy", accuracy}, {"pairs", pairs, Unit::count}, {"accuracy.part", 0.5}},
          {},   remark};
}

TEST(Average, CountsEveryTaskOfStsOnceAndNeedsTwo) {
  std::vector<Measurement> tasks{measured("a", "sts", 0.1, 1000),   measured("b", "nli", 0.9, 1),
                                 measured("c", "sts", 0.2, 10),     measured("d", "sts", 0.6, 1),
                                 measured("e", "nli", 0.8, 1),      measured("f", "retrieval", 0.8, 1),
                                 measured("g", "retrieval", 0.7, 1)};
  const std::optional<Average> average = average_of(tasks);
  ASSERT_TRUE(average);
  EXPECT_EQ(average->tasks, 3u);
  ASSERT_EQ(average->metrics.size(), 1u) << "neither counts nor figures of parts";
  EXPECT_EQ(average->metrics[0].name, "accuracy");
  EXPECT_DOUBLE_EQ(average->metrics[0].value, 0.3);
  const std::string text = measurement_table({"last", 1, tasks});
  EXPECT_TRUE(says(text, "\naverage of 3       30.00      -\n"));
  EXPECT_EQ(text.find("average"), text.rfind("average")) << "sets of other kinds have nothing in common";
  tasks[3].development = true;
  EXPECT_DOUBLE_EQ(average_of(tasks)->metrics[0].value, 0.15);
  tasks[2].development = true;
  EXPECT_FALSE(average_of(tasks));
  EXPECT_FALSE(average_of({}));
}

TEST(Average, SaysWhichTaskIsPartialAndHasNoMetricThatOneLacks) {
  std::vector<Measurement> tasks{measured("sts12", "sts", 0.5, 1, "partial, without MSRvid"),
                                 measured("sts13", "sts", std::nan(""), 1)};
  tasks[0].metrics.push_back({"symmetric", 0.5});
  const std::optional<Average> average = average_of(tasks);
  ASSERT_TRUE(average);
  EXPECT_EQ(average->remark, "sts12 is partial, without MSRvid");
  ASSERT_EQ(average->metrics.size(), 1u);
  EXPECT_TRUE(std::isnan(average->metrics[0].value));
  const StateResult state{"last", 1, tasks};
  EXPECT_TRUE(says(measurement_table(state), "average of 2: sts12 is partial, without MSRvid\n"));
  EXPECT_TRUE(says(json_report(state), "\"average of sts\": \"sts12 is partial, without MSRvid\""));
}

TEST(MeasurementTable, HasTheBackboneBelowEachTaskThatMeasuredIt) {
  const StateResult kept{
      "last",
      4,
      {{"dev", "nli", false, {{"accuracy", 0.5}, {"direction_sim", 0.25}}, {}, ""},
       {"test", "nli", false, {{"accuracy", 0.125}}, {}, ""},
       {"sts", "sts", false, {{"spearman", 0.75}}, {}, ""}},
      {{"sts", "sts", false, {{"spearman", 0.875}}, {}, ""}, {"dev", "nli", false, {{"accuracy", 0.625}}, {}, ""}}};
  EXPECT_EQ(measurement_table(kept),
            "last state, after 4 steps\n"
            "nli         accuracy %  direction_sim %\n"
            "dev              50.00            25.00\n"
            "- backbone       62.50                -\n"
            "test             12.50                -\n"
            "sts         spearman %\n"
            "sts              75.00\n"
            "- backbone       87.50\n");
  // A report has it, too.
  const StateResult read = parse_json_report(json_report(kept), "report");
  EXPECT_EQ(measurement_table(read), measurement_table(kept));
}

/// The average of the backbone is over the same tasks.
TEST(Backbone, HasAnAverageOverTheSameTasks) {
  const auto tasks_of = [](double first, double second) {
    return std::vector<Measurement>{{"dev", "sts", true, {{"spearman", 0.125}}, {}, ""},
                                    {"a", "sts", false, {{"spearman", first}}, {}, ""},
                                    {"b", "sts", false, {{"spearman", second}}, {}, ""}};
  };
  StateResult kept{"last", 4, tasks_of(0.25, 0.5), tasks_of(0.5, 0.625)};
  EXPECT_TRUE(
      says(measurement_table(kept), "- backbone         62.50\naverage of 2       37.50\n- backbone         56.25\n"));
  kept.backbone.pop_back();
  EXPECT_TRUE(says(measurement_table(kept), "b                  50.00\naverage of 2       37.50\n"));
  EXPECT_FALSE(says(measurement_table(kept), "56.25"));
}

TEST(Backbone, IsAttachedToTheKeptStateWithoutColumns) {
  const std::vector<Column> columns{{"cosine", std::vector<float>{0.5f}}};
  std::vector<StateResult> states{{"best", 2, {{"dev", "nli", false, {{"auprc", 0.5}}, {}, ""}}},
                                  {"last", 4, {{"dev", "nli", false, {{"auprc", 0.25}}, {}, ""}}},
                                  {backbone_state, 0, {{"dev", "nli", false, {{"auprc", 0.625}}, columns, ""}}}};
  attach_backbone(states);
  ASSERT_EQ(states[0].backbone.size(), 1u);
  EXPECT_EQ(metric_of(states[0].backbone[0], "auprc"), 0.625);
  EXPECT_TRUE(states[0].backbone[0].columns.empty());
  EXPECT_EQ(states[2].tasks[0].columns.size(), 1u);
  EXPECT_TRUE(states[1].backbone.empty());
}

TEST(WorseThanBackbone, ComparesTheMetricThatSelects) {
  const auto text_of = [](double kept, double backbone, const char* task = "dev", const char* metric = "auprc") {
    return worse_than_backbone({"best",
                                4,
                                {{"dev", "nli", false, {{"auprc", kept}, {"accuracy", 0.5}}, {}, ""}},
                                {{"dev", "nli", false, {{"auprc", backbone}, {"direction_length", 0.5}}, {}, ""}}},
                               task, metric);
  };
  const auto text = text_of(0.5, 0.625);
  ASSERT_TRUE(text);
  EXPECT_TRUE(says(*text, "auprc of dev is 0.5000 in the kept state, less than the backbone's 0.6250"));
  EXPECT_FALSE(text_of(0.625, 0.5));
  EXPECT_FALSE(text_of(0.5, 0.5));
  EXPECT_FALSE(text_of(0.5, 0.625, "dev", "accuracy"));
  EXPECT_FALSE(text_of(0.5, 0.625, "test"));
  EXPECT_FALSE(text_of(0.5, 0.625, "dev", "direction_length"));
}

TEST(MeasurementTable, MarksABestStateThatIsTheUntrainedOne) {
  constexpr const char* heading = "best state, after 0 steps: the untrained state: no step gave a better one\n";
  RunResult result = sample_result();
  EXPECT_FALSE(nlohmann::json::parse(json_report(result)).contains("untrained"));
  result.states[0].step = 0;
  EXPECT_TRUE(measurement_table(result.states[0]).starts_with(heading));
  EXPECT_TRUE(says(result_text(result, CurveStyle::plain), heading));
  EXPECT_EQ(nlohmann::json::parse(json_report(result)).at("untrained"), true);
  // A state that was measured before the first step, and that of a training without steps, claim nothing.
  result.states[0].state = "untrained";
  EXPECT_TRUE(measurement_table(result.states[0]).starts_with("untrained state, after 0 steps\n"));
  result.states[0].state = "last";
  EXPECT_TRUE(measurement_table(result.states[0]).starts_with("last state, after 0 steps\n"));
  EXPECT_FALSE(nlohmann::json::parse(json_report(result)).contains("untrained"));
}

TEST(Average, IsNoMetricWhereATaskIsPartial) {
  std::vector<Measurement> tasks{measured("sts12", "sts", 0.5, 1), measured("sts13", "sts", 0.75, 1),
                                 measured("snli", "nli", 0.25, 1), measured("mnli", "nli", 0.5, 1)};
  for (const std::size_t i : {0, 1}) tasks[i].metrics.push_back({"missing_subsets", 0, Unit::count});
  EXPECT_EQ(average_of(tasks)->metrics.at(0).value, 0.625);
  tasks[1].metrics.back().value = 2;
  EXPECT_TRUE(is_partial(tasks[1]));
  EXPECT_FALSE(is_partial(tasks[0]) || is_partial(tasks[2]));
  EXPECT_TRUE(std::isnan(average_of(tasks)->metrics.at(0).value));
}

TEST(Metrics, AreFoundByNameOrRefusedWithTheNames) {
  const Measurement snli = sample_result().states[0].tasks[1];
  EXPECT_EQ(metric_of(snli, "auprc"), 0.5);
  EXPECT_EQ(find_metric(snli.metrics, "aupr"), nullptr);
  const std::string refusal = refusal_of([&] { metric_of(snli, "aupr"); });
  EXPECT_TRUE(says(refusal, "the task \"snli\" has no metric \"aupr\", did you mean \"auprc\"?"));
  EXPECT_TRUE(says(refusal, "it has pairs, accuracy, threshold, auprc"));
}

TEST(Curves, GrowByWhatIsMeasured) {
  std::vector<Curve> curves;
  add_to_curves(measured("dev", "nli", 0.25, 3), 0, curves);
  add_to_curves(measured("other", "nli", 0.5, 7), 2, curves);
  add_to_curves(measured("dev", "nli", 0.75, 4), 5, curves);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].task, "dev");
  EXPECT_EQ(curves[0].step, (std::vector<std::int64_t>{0, 5}));
  ASSERT_EQ(curves[0].lines.size(), 3u);
  EXPECT_EQ(curves[0].lines[0].metric, "accuracy");
  EXPECT_EQ(curves[0].lines[0].values, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(curves[0].lines[1].unit, Unit::count);
  EXPECT_EQ(curves[1].step, (std::vector<std::int64_t>{2}));
}

TEST(Curves, HaveNoNumberWhereAMetricWasNotMeasured) {
  std::vector<Curve> curves;
  add_to_curves(measured("dev", "nli", 0.25, 3), 0, curves);
  Measurement other = measured("dev", "nli", 0.5, 4);
  other.metrics.front().name = "majority";
  add_to_curves(other, 6, curves);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].step, (std::vector<std::int64_t>{0, 6}));
  ASSERT_EQ(curves[0].lines.size(), 4u);
  const std::vector<double>& before = curves[0].lines.front().values;
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[0], 0.25);
  EXPECT_TRUE(std::isnan(before[1]));
  EXPECT_EQ(curves[0].lines.back().metric, "majority");
  ASSERT_EQ(curves[0].lines.back().values.size(), 2u);
  EXPECT_TRUE(std::isnan(curves[0].lines.back().values[0]));
  EXPECT_EQ(curves[0].lines.back().values[1], 0.5);
  EXPECT_EQ(curves[0].lines[1].values, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace gausscse
