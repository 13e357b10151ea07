#include <bit>
#include <nlohmann/json.hpp>

#include "results/json_report.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Report = nlohmann::ordered_json;

TEST(JsonReportReader, GivesWhatWasWrittenInItsOrder) {
  const TemporaryFolder folder;
  StateResult state = sample_result().states[0];
  state.tasks[2].development = true;
  state.tasks[0].metrics.push_back({"auprc.z", -0.1 - 0.2, Unit::number});
  state.tasks[0].metrics.push_back({"auprc.a", 1e-300});
  write_bytes(folder / "report.json", json_report(state));
  const StateResult read = read_json_report(folder / "report.json");
  EXPECT_EQ(read.state, "best");
  EXPECT_EQ(read.step, 2);
  ASSERT_EQ(read.tasks.size(), state.tasks.size());
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    const Measurement& is = read.tasks[i];
    const Measurement& was = state.tasks[i];
    EXPECT_EQ(is.task, was.task);
    EXPECT_EQ(is.kind, was.kind);
    EXPECT_EQ(is.development, was.development) << is.task;
    EXPECT_EQ(is.remark, was.remark);
    EXPECT_TRUE(is.columns.empty());
    ASSERT_EQ(is.metrics.size(), was.metrics.size());
    for (std::size_t j = 0; j < is.metrics.size(); ++j) {
      EXPECT_EQ(is.metrics[j].name, was.metrics[j].name);
      EXPECT_EQ(is.metrics[j].unit, was.metrics[j].unit) << is.metrics[j].name;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(is.metrics[j].value), std::bit_cast<std::uint64_t>(was.metrics[j].value))
          << is.metrics[j].name;
    }
  }
}

TEST(JsonReportReader, ReadsAReportOfNoTraining) {
  const TemporaryFolder folder;
  write_bytes(folder / "report.json", json_report(StateResult{}));
  const StateResult read = read_json_report(folder / "report.json");
  EXPECT_EQ(read.state, "");
  EXPECT_TRUE(read.tasks.empty());
}

TEST(JsonReportReader, RefusesEveryOtherDigit) {
  const std::string whole = json_report(sample_result().states[0]);
  int digits = 0;
  for (std::size_t i = whole.find("\"tasks\""); i < whole.find("\"check\""); ++i) {
    if (whole[i] < '0' || whole[i] > '8') continue;
    std::string changed = whole;
    ++changed[i];
    EXPECT_TRUE(says(refusal_of([&] { parse_json_report(changed, "report.json"); }), "report.json: damaged")) << i;
    ++digits;
  }
  EXPECT_GT(digits, 80);
  bool is_checked = false;
  parse_json_report(whole, "report.json", &is_checked);
  EXPECT_TRUE(is_checked);
  parse_json_report(R"({"format": "gausscse-report/2", "tasks": {}})", "report.json", &is_checked);
  EXPECT_FALSE(is_checked);
}

TEST(JsonReportReader, RefusesWhatIsNoWholeReportOfThisVersion) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "report.json";
  Report whole = Report::parse(json_report(sample_result().states[0]));
  // As of an earlier version: a change is seen by the kinds of its members.
  whole.erase("check");
  const auto refusal = [&](const char* at, const Report& value) {
    Report changed = whole;
    changed[Report::json_pointer(at)] = value;
    write_bytes(file, changed.dump());
    const std::string text = refusal_of([&] { read_json_report(file); });
    EXPECT_TRUE(says(text, file.string()));
    return text;
  };
  const Report no_object = Report::array();
  EXPECT_TRUE(says(refusal("/format", "gausscse-report/1"),
                   "its format is \"gausscse-report/1\", this program reads \"gausscse-report/2\""));
  EXPECT_TRUE(says(refusal("/format", "gausscse-report/3"), "its format is \"gausscse-report/3\""));
  EXPECT_TRUE(says(refusal("/format", "gausscse-plan/1"), "this is no report"));
  EXPECT_TRUE(says(refusal("/format", nullptr), "this is no report"));
  EXPECT_TRUE(says(refusal("/kinds/mnli", nullptr), "does not give the kind of the task \"mnli\""));
  EXPECT_TRUE(says(refusal("/kinds", no_object), "does not give the kind of the task \"dev\""));
  EXPECT_TRUE(says(refusal("/units/dev/pairs", "percent"), "the unit of dev.pairs is"));
  EXPECT_TRUE(says(refusal("/units/dev/pairs", 1), "the unit of dev.pairs is"));
  EXPECT_TRUE(says(refusal("/tasks", no_object), "it has no tasks"));
  EXPECT_TRUE(says(refusal("/tasks/dev", 1), "the metrics of the task \"dev\" are no object"));
  EXPECT_TRUE(says(refusal("/tasks/dev/auprc", "0.5"), "dev.auprc is"));
  EXPECT_TRUE(says(refusal("/step", "two"), "the number of steps"));
  write_bytes(file, whole.dump().substr(0, 500));
  EXPECT_TRUE(says(refusal_of([&] { read_json_report(file); }), "report.json:1: column"));
  write_bytes(file, "[]");
  EXPECT_TRUE(says(refusal_of([&] { read_json_report(file); }), "this is no report"));
  EXPECT_TRUE(says(refusal_of([&] { read_json_report(folder / "none"); }), "none"));
}

}  // namespace
}  // namespace gausscse
