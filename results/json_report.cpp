#include "results/json_report.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

nlohmann::ordered_json to_json(const Provenance& from) {
  nlohmann::ordered_json libraries = nlohmann::ordered_json::object(), made_from = nlohmann::ordered_json::array();
  for (const auto& [name, version] : from.libraries) libraries[name] = version;
  for (const auto& [name, hash] : from.data_hashes) made_from.push_back({{"name", name}, {"xxh3_128", hash}});
  nlohmann::ordered_json json{{"version", from.version},
                              {"commit", from.commit},
                              {"libraries", std::move(libraries)},
                              {"ranks", from.ranks},
                              {"threads", from.threads},
                              {"hosts", from.hosts},
                              {"devices", from.devices},
                              {"instruction_sets", from.instruction_sets},
                              {"bfloat16_instructions", from.bfloat16_instructions},
                              {"made_from", std::move(made_from)}};
  if (const auto& continued = from.continued)
    json["continued"] = {{"folder", continued->folder},
                         {"run", continued->run},
                         {"checkpoint", continued->checkpoint},
                         {"step", continued->step},
                         {"changes", continued->changes}};
  return json;
}

/// Adds the kinds and units of tasks, by which a reader prints and averages metrics; nothing of no task.
void add_what_tasks_are(const std::vector<Measurement>& measurements, nlohmann::ordered_json& report) {
  nlohmann::ordered_json development = nlohmann::ordered_json::array();
  for (const Measurement& measurement : measurements) {
    report["kinds"][measurement.task] = measurement.kind;
    if (measurement.development) development.push_back(measurement.task);
    for (const Metric& metric : measurement.metrics)
      if (metric.unit != Unit::fraction) report["units"][measurement.task][metric.name] = name_of(metric.unit);
  }
  if (!development.empty()) report["development"] = std::move(development);
}

bool is_report(const std::filesystem::path& path) {
  try {
    read_json_report(path);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t largest_report_read = std::size_t{16} << 20;

/// A report and where it is from, for messages.
struct ReportText {
  OrderedJson root;
  std::string source;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(concat(source, ": no whole report of gausscse: ", what, ": measure again"));
  }
};

/// Returns a member, or null where there is none.
const OrderedJson& member_of(const OrderedJson& object, const std::string& key) {
  static const OrderedJson none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

void check_report_format(const ReportText& report) {
  const OrderedJson& format = member_of(report.root, "format");
  if (format == report_format) return;
  if (format.is_string() && format.get<std::string>().starts_with("gausscse-report/"))
    throw InputError(concat(report.source, ": its format is ", quoted(format.get<std::string>()), ", this program ",
                            "reads ", quoted(report_format), ": use the version that wrote it, or measure again"));
  throw InputError(concat(report.source, ": this is no report of gausscse (its \"format\" is not ",
                          quoted(report_format), "): give another file"));
}

Unit unit_in(const ReportText& report, const std::string& task, const std::string& metric) {
  const OrderedJson& unit = member_of(member_of(member_of(report.root, "units"), task), metric);
  if (unit.is_null()) return Unit::fraction;
  const auto known = unit.is_string() ? find_choice<Unit>(unit.get<std::string>()) : std::nullopt;
  if (!known) report.refuse(concat("the unit of ", task, ".", metric, " is ", quoted(unit.dump())));
  return *known;
}

Measurement measurement_in(const ReportText& report, const std::string& task, const OrderedJson& metrics) {
  Measurement measurement{task, "", false, {}, {}, ""};
  const OrderedJson& kind = member_of(member_of(report.root, "kinds"), task);
  if (!kind.is_string())
    report.refuse(
        concat("it does not give the kind of the task ", quoted(task), ", like reports of versions before studies"));
  measurement.kind = kind.get<std::string>();
  for (const OrderedJson& name : member_of(report.root, "development"))
    measurement.development = measurement.development || name == task;
  if (const OrderedJson& remark = member_of(member_of(report.root, "remarks"), task); remark.is_string())
    measurement.remark = remark.get<std::string>();
  if (!metrics.is_object()) report.refuse(concat("the metrics of the task ", quoted(task), " are no object"));
  for (const auto& [name, value] : metrics.items()) {
    if (!value.is_number() && !value.is_null())
      report.refuse(concat(task, ".", name, " is ", quoted(value.dump()), " and no number"));
    measurement.metrics.push_back({name,
                                   value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(),
                                   unit_in(report, task, name)});
  }
  return measurement;
}

}  // namespace

nlohmann::ordered_json to_json(const std::vector<Metric>& metrics) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const Metric& metric : metrics) {
    if (metric.unit == Unit::count && std::isfinite(metric.value))
      values[metric.name] = static_cast<std::int64_t>(metric.value);
    else
      values[metric.name] = metric.value;
  }
  return values;
}

nlohmann::ordered_json to_json(const std::vector<Curve>& curves) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const Curve& curve : curves) {
    nlohmann::ordered_json& of_task = all[curve.task] = {{"step", curve.step}};
    for (const Curve::Line& line : curve.lines) of_task[line.metric] = line.values;
  }
  return all;
}

nlohmann::ordered_json to_json(const StateResult& state) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::object(), averages = tasks, remarks = tasks;
  for (const Measurement& measurement : state.tasks) {
    tasks[measurement.task] = to_json(measurement.metrics);
    if (!measurement.remark.empty()) remarks[measurement.task] = measurement.remark;
  }
  if (const auto average = average_of(state.tasks)) {
    averages[averaged_kind] = to_json(average->metrics);
    if (!average->remark.empty()) remarks[concat("average of ", averaged_kind)] = average->remark;
  }
  nlohmann::ordered_json report = nlohmann::ordered_json::object();
  if (!state.state.empty()) report = {{"state", state.state}, {"step", state.step}};
  report["tasks"] = std::move(tasks);
  add_what_tasks_are(state.tasks, report);
  if (!averages.empty()) report["average"] = std::move(averages);
  if (!remarks.empty()) report["remarks"] = std::move(remarks);
  for (const Measurement& measurement : state.backbone)
    report["backbone"][measurement.task] = to_json(measurement.metrics);
  return report;
}

std::string json_report(const StateResult& state) {
  nlohmann::ordered_json report{{"format", report_format}};
  report.update(to_json(state));
  // As it will be read: NaN as null.
  report[check_member] = check_of(parse_strict_json(report.dump(), "the report"));
  return report.dump(2) + "\n";
}

std::string json_report(const RunResult& result) {
  nlohmann::ordered_json states = nlohmann::ordered_json::array();
  for (const StateResult& state : result.states) states.push_back(to_json(state));
  nlohmann::ordered_json report{{"format", show_format},
                                {"kind", "result"},
                                {"configuration", result.configuration},
                                {"provenance", to_json(result.provenance)},
                                {"training", columns_to_json(result.training)},
                                {"curves", to_json(result.curves)},
                                {"states", std::move(states)}};
  if (!result.ended_early.empty()) report["ended_early"] = result.ended_early;
  if (!result.halved_micro_batch.empty()) report["halved_micro_batch"] = result.halved_micro_batch;
  for (const StateResult& state : result.states)
    if (is_untrained_best(state.state, state.step)) report["untrained"] = true;
  return report.dump(2) + "\n";
}

void check_report_file(const std::filesystem::path& path, std::span<const InputPath> inputs, ExistingFile existing) {
  if (!path.empty() && path != "-") check_output_file("--json", path, inputs, existing);
}

void check_report_of_run(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs) {
  if (path == "-") return;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && !input_at(path, inputs) && !is_report(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and is no report of a training: give another path"));
  check_output_file(name, path, inputs, ExistingFile::replace);
}

StateResult read_json_report(const std::filesystem::path& file, Links links, bool* is_checked) {
  return parse_json_report(read_whole_file(file, largest_report_read, links), file.string(), is_checked);
}

StateResult parse_json_report(std::string_view text, const std::string& source, bool* is_checked) {
  // The strict parser refuses a text that is no JSON, but does not keep the order of members.
  const JsonDocument strict = parse_strict_json(text, source);
  const ReportText report{OrderedJson::parse(text), source};
  check_report_format(report);
  const OrderedJson& check = member_of(report.root, check_member);
  if (is_checked) *is_checked = !check.is_null();
  if (!check.is_null() && check != check_of(strict))
    throw InputError(concat(source, ": damaged: it has changed since it was written (its values do not have the hash ",
                            "in its ", quoted(check_member), "): measure again"));
  StateResult state;
  if (const OrderedJson& name = member_of(report.root, "state"); name.is_string()) {
    state.state = name.get<std::string>();
    const OrderedJson& step = member_of(report.root, "step");
    if (!step.is_number_integer()) report.refuse("it does not give the number of steps");
    state.step = step.get<std::int64_t>();
  }
  const OrderedJson& tasks = member_of(report.root, "tasks");
  if (!tasks.is_object()) report.refuse("it has no tasks");
  for (const auto& [task, metrics] : tasks.items()) state.tasks.push_back(measurement_in(report, task, metrics));
  for (const auto& [task, metrics] : member_of(report.root, "backbone").items())
    state.backbone.push_back(measurement_in(report, task, metrics));
  return state;
}

}  // namespace gausscse
