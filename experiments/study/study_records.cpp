#include "experiments/study/study_records.hpp"

#include <set>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "experiments/study/json_fields.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

constexpr const char* run_format = "gausscse-run/1";
constexpr const char* failure_format = "gausscse-failure/1";
constexpr std::size_t largest_record = std::size_t{16} << 20;

}  // namespace

void write_run_record(const std::filesystem::path& file, const RunRecord& record) {
  write_file_atomically(file, checked_json_text({{"format", run_format},
                                                 {"identity", record.identity},
                                                 {"result_bytes", record.result_bytes},
                                                 {"result_hash", record.result_hash},
                                                 {"report_hash", record.report_hash},
                                                 {"trial_hash", record.trial_hash},
                                                 {"attempts_hash", record.attempts_hash},
                                                 {"seconds", record.seconds},
                                                 {"attempts", record.attempts},
                                                 {"steps", record.steps},
                                                 {"step_seconds", record.step_seconds},
                                                 {"ranks", record.ranks},
                                                 {"threads", record.threads},
                                                 {"peak_memory_bytes", record.peak_memory_bytes},
                                                 {"disk_bytes", record.disk_bytes},
                                                 {"hosts", record.hosts},
                                                 {"ended", record.ended}}));
}

RunRecord read_run_record(const std::filesystem::path& file) {
  const JsonDocument document = read_strict_json(file, largest_record, Links::refused);
  check_json_format(document, run_format, "record of how a trial ran", file.string());
  JsonFields fields(document, file.string());
  fields.text("format");
  RunRecord record;
  record.identity = fields.text_if_there("identity");
  record.result_bytes = fields.bytes("result_bytes");
  record.result_hash = fields.text("result_hash");
  record.report_hash = fields.text_if_there("report_hash");
  record.trial_hash = fields.text_if_there("trial_hash");
  record.attempts_hash = fields.text_if_there("attempts_hash");
  record.seconds = fields.seconds("seconds");
  record.attempts = fields.integer("attempts", 0);
  record.steps = fields.integer("steps", 0);
  record.step_seconds = fields.seconds("step_seconds");
  record.ranks = fields.integer("ranks", 1);
  record.threads = fields.integer("threads", 1);
  record.peak_memory_bytes = fields.bytes("peak_memory_bytes");
  record.disk_bytes = fields.bytes("disk_bytes");
  record.hosts = fields.texts("hosts");
  record.ended = fields.text("ended");
  record.is_checked = fields.expect_as_written(remedy_of_damage);
  return record;
}

void write_failure_record(const std::filesystem::path& file, const FailureRecord& record) {
  write_file_atomically(file, checked_json_text({{"format", failure_format},
                                                 {"reason", record.reason},
                                                 {"error", record.error},
                                                 {"lines", record.lines},
                                                 {"attempts", record.attempts},
                                                 {"seconds", record.seconds},
                                                 {"host", record.host},
                                                 {"ended", record.ended}}));
}

FailureRecord read_failure_record(const std::filesystem::path& file) {
  const JsonDocument document = read_strict_json(file, largest_record, Links::refused);
  check_json_format(document, failure_format, "record of how a trial failed", file.string());
  JsonFields fields(document, file.string());
  fields.text("format");
  FailureRecord record;
  record.reason = fields.text("reason");
  record.error = fields.text("error");
  record.lines = fields.texts("lines");
  record.attempts = fields.integer("attempts", 0);
  record.seconds = fields.seconds("seconds");
  record.host = fields.text("host");
  record.ended = fields.text("ended");
  fields.expect_as_written("move it away; --retry-failed runs the trial again");
  return record;
}

namespace {

constexpr const char* plan_format = "gausscse-plan/1";
constexpr std::size_t largest_plan = std::size_t{64} << 20;
constexpr const char* remedy_of_plan =
    "move it away and start `gausscse run` with the study's manifest, which writes it again";

nlohmann::ordered_json to_json(const PlannedTrial& trial) {
  nlohmann::ordered_json coordinates = nlohmann::ordered_json::array();
  for (const auto& [axis, label] : trial.coordinates)
    coordinates.push_back(nlohmann::ordered_json::array({axis, label}));
  return {{"stage", trial.stage},
          {"coordinates", std::move(coordinates)},
          {"seed", trial.seed},
          {"identity", trial.identity},
          {"waits_for", trial.waits_for}};
}

PlannedTrial trial_of(const nlohmann::json& value, const std::string& place) {
  JsonFields fields(value, place);
  PlannedTrial trial;
  trial.stage = fields.text("stage");
  std::set<std::string> axes;
  for (const nlohmann::json& coordinate : fields.array("coordinates")) {
    if (!coordinate.is_array() || coordinate.size() != 2 || !coordinate[0].is_string() || !coordinate[1].is_string())
      fields.refuse("coordinates", "an array of pairs [axis, label]");
    trial.coordinates.emplace_back(coordinate[0].get<std::string>(), coordinate[1].get<std::string>());
    if (!axes.insert(trial.coordinates.back().first).second) fields.refuse("coordinates", "each axis once");
  }
  trial.seed = fields.integer("seed", INT64_MIN);
  trial.identity = fields.text("identity");
  // It names folders: nothing may lead out of them.
  if (!trial.identity.empty() && !is_test_name(trial.identity)) fields.refuse("identity", "hexadecimal digits");
  trial.waits_for = fields.text("waits_for");
  fields.expect_no_others();
  return trial;
}

bool holds(const std::filesystem::path& file, const std::string& text) {
  try {
    return read_whole_file(file, text.size(), Links::refused) == text;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string to_json(const PlanFile& plan) {
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  for (const PlannedTrial& trial : plan.trials) trials.push_back(to_json(trial));
  return checked_json_text({{"format", plan_format},
                            {"study", plan.study},
                            {"manifest_hash", plan.manifest_hash},
                            {"trials", std::move(trials)}});
}

void write_plan(const std::filesystem::path& file, const PlanFile& plan) {
  const std::string text = to_json(plan);
  if (!holds(file, text)) write_file_atomically(file, text);
}

namespace {

JsonDocument parse_plan(const std::filesystem::path& file) {
  const std::string text = read_whole_file(file, largest_plan, Links::refused);
  try {
    return parse_strict_json(text, file.string());
  } catch (const InputError& error) {
    throw InputError(concat(error.what(), ": ", remedy_of_plan));
  }
}

}  // namespace

PlanFile read_plan(const std::filesystem::path& file) {
  const std::string source = file.string();
  const JsonDocument document = parse_plan(file);
  check_json_format(document, plan_format, "plan of a study", source);
  JsonFields fields(document, source);
  fields.text("format");
  PlanFile plan;
  plan.study = fields.text("study");
  plan.manifest_hash = fields.text("manifest_hash");
  for (const nlohmann::json& trial : fields.array("trials"))
    plan.trials.push_back(trial_of(trial, concat(source, ": trial ", plan.trials.size() + 1)));
  plan.is_checked = fields.expect_as_written(remedy_of_plan);
  return plan;
}

}  // namespace gausscse
