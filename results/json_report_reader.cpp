#include "results/json_report_reader.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

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

Unit unit_in(const ReportText& report, const std::string& task, const std::string& figure) {
  const OrderedJson& unit = member_of(member_of(member_of(report.root, "units"), task), figure);
  if (unit.is_null()) return Unit::fraction;
  const auto known = unit.is_string() ? find_choice<Unit>(unit.get<std::string>()) : std::nullopt;
  if (!known) report.refuse(concat("the unit of ", task, ".", figure, " is ", quoted(unit.dump())));
  return *known;
}

Measurement measurement_in(const ReportText& report, const std::string& task, const OrderedJson& figures) {
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
  if (!figures.is_object()) report.refuse(concat("the metrics of the task ", quoted(task), " are no object"));
  for (const auto& [name, value] : figures.items()) {
    if (!value.is_number() && !value.is_null())
      report.refuse(concat(task, ".", name, " is ", quoted(value.dump()), " and no number"));
    measurement.figures.push_back({name,
                                   value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(),
                                   unit_in(report, task, name)});
  }
  return measurement;
}

}  // namespace

StateResult read_json_report(const std::filesystem::path& file, Links links) {
  return parse_json_report(read_whole_file(file, largest_report_read, links), file.string());
}

StateResult parse_json_report(std::string_view text, const std::string& source) {
  // The strict parser refuses what is no JSON, but does not keep the order of members.
  parse_strict_json(text, source);
  const ReportText report{OrderedJson::parse(text), source};
  check_report_format(report);
  StateResult state;
  if (const OrderedJson& name = member_of(report.root, "state"); name.is_string()) {
    state.state = name.get<std::string>();
    const OrderedJson& step = member_of(report.root, "step");
    if (!step.is_number_integer()) report.refuse("it does not give the number of steps");
    state.step = step.get<std::int64_t>();
  }
  const OrderedJson& tasks = member_of(report.root, "tasks");
  if (!tasks.is_object()) report.refuse("it has no tasks");
  for (const auto& [task, figures] : tasks.items()) state.tasks.push_back(measurement_in(report, task, figures));
  return state;
}

}  // namespace gausscse
