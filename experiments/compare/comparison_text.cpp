#include "experiments/compare/comparison_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* comparison_format = "gausscse-comparison/1";

/// Rows of the table.
constexpr std::size_t row_a = 0, row_b = 1;

/// Returns the task of a column and the metric's own name: of "average.nli.accuracy" "average.nli" and "accuracy".
std::pair<std::string, std::string> divided(const std::string& name) {
  std::size_t dot = name.find('.');
  if (is_average(name)) dot = name.find('.', dot + 1);
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// Returns the test of B against A; null where there is none.
const CellTest* test_of(const StudyTable& table, std::size_t column) {
  const std::vector<CellTest>& tests = table.cells[row_b][column].tests;
  return tests.empty() ? nullptr : &tests.front();
}

double difference_of(const StudyTable& table, std::size_t column) {
  return table.cells[row_b][column].value - table.cells[row_a][column].value;
}

Json json_of(const ComparedGroup& group) {
  Json trials = Json::array();
  for (const ComparedTrial& trial : group.trials) {
    trials.push_back({{"title", trial.title}, {"seed", trial.seed ? Json(*trial.seed) : Json()}});
    if (trial.untrained) trials.back()["untrained"] = true;
  }
  return {{"name", group.name}, {"trials", std::move(trials)}, {"notes", group.notes}};
}

std::vector<double> values_of(const TableCell& cell) {
  return members_of(cell.values, &CellValue::value);
}

Json json_of(const TableCell& cell) {
  return {{"mean", cell.value}, {"deviation", cell.deviation}, {"n", cell.count}, {"values", values_of(cell)}};
}

/// Returns the metric of the first backbone of a group; null where it has none.
Json backbone_in(const ComparedGroup& group, const std::string& name) {
  const std::size_t dot = name.find('.');
  for (const ComparedTrial& trial : group.trials) {
    const Measurement* measured = find_measurement(trial.kept.backbone, name.substr(0, dot));
    const Metric* found = measured ? find_metric(measured->metrics, name.substr(dot + 1)) : nullptr;
    if (found && !std::isnan(found->value)) return found->value;
  }
  return nullptr;
}

/// Returns McNemar's test of B against A as one of A against B.
Json json_of(const McNemarTest& test) {
  Json json = Json::object();
  if (test.seed) json["seed"] = *test.seed;
  json.update({{"only_a", test.only_second}, {"only_b", test.only_first}, {"p", test.p}});
  return json;
}

Json json_of_column(const Comparison& comparison, std::size_t column) {
  const StudyTable& table = comparison.table;
  const TableCell &a = table.cells[row_a][column], &b = table.cells[row_b][column];
  const auto [task, metric] = divided(table.column_metrics[column]);
  Json json{{"task", task},    {"figure", metric}, {"unit", name_of(table.column_units[column])},
            {"a", json_of(a)}, {"b", json_of(b)},  {"difference", difference_of(table, column)}};
  const Json backbone_a = backbone_in(comparison.a, table.column_metrics[column]),
             backbone_b = backbone_in(comparison.b, table.column_metrics[column]);
  if (!backbone_a.is_null() || !backbone_b.is_null()) json["backbone"] = {{"a", backbone_a}, {"b", backbone_b}};
  if (a.count > 1 && b.count > 1) {
    const WelchTest welch = welch_test(values_of(a), values_of(b));
    json["welch"] = {{"t", welch.t}, {"degrees", welch.degrees}, {"p", welch.p}};
  }
  const CellTest* test = test_of(table, column);
  if (test && test->low) json["bootstrap"] = {{"low", *test->low}, {"high", *test->high}, {"p", *test->bootstrap_p}};
  if (!test || test->seeds.empty()) return json;
  json["mcnemar"] = json_of(test->sum);
  if (comparison.a.trials.size() > 1 || comparison.b.trials.size() > 1)
    for (const McNemarTest& of_seed : test->seeds) json["mcnemar"]["seeds"].push_back(json_of(of_seed));
  return json;
}

Json json_of(const std::vector<SettingDifference>& differences) {
  Json json = Json::array();
  for (const SettingDifference& difference : differences)
    json.push_back({{"name", difference.name}, {"a", difference.a}, {"b", difference.b}});
  return json;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  Json metrics = Json::array();
  for (std::size_t c = 0; c < comparison.table.column_metrics.size(); ++c)
    metrics.push_back(json_of_column(comparison, c));
  const Json json{{"format", comparison_format},
                  {"a", json_of(comparison.a)},
                  {"b", json_of(comparison.b)},
                  {"figures", std::move(metrics)},
                  {"configuration", json_of(comparison.configuration)},
                  {"provenance", json_of(comparison.provenance)},
                  {"notes", comparison.table.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// Returns whether a table has the metric: those of a whole task, and directions without help from length.
bool is_printed(const std::string& metric) {
  const std::size_t dot = metric.find('.');
  if (dot == std::string::npos) return true;
  const std::string stratum = metric.substr(dot + 1);
  return stratum == "equal_length" || stratum == "premise_shorter";
}

/// Returns the table turned round, with a row for each metric, and its tests behind the values.
std::string metrics_text(const StudyTable& table) {
  TableStyle style = text_style();
  style.aligned = false;
  const TextRows rows = value_rows(table, style);
  const TestColumns tests(table);
  TextRows turned{{"metric"}};
  for (std::size_t r = 1; r < rows.size(); ++r) turned[0].push_back(rows[r].front());
  turned[0].emplace_back("B - A");
  const std::vector<std::string> headings = tests.headings("B", "A");
  turned[0].insert(turned[0].end(), headings.begin(), headings.end());
  for (std::size_t c = 0; c < table.column_metrics.size(); ++c) {
    if (!is_printed(divided(table.column_metrics[c]).second)) continue;
    std::vector<std::string>& row = turned.emplace_back();
    for (const std::vector<std::string>& of_table : rows) row.push_back(of_table[c + 1]);
    const double difference = difference_of(table, c);
    row.push_back(concat(difference > 0 ? "+" : "", printed_value(difference, table.column_units[c], false)));
    const std::vector<std::string> cells = tests.cells(test_of(table, c), table.column_units[c], style);
    row.insert(row.end(), cells.begin(), cells.end());
  }
  return text_table(turned, measurement_width);
}

std::string values_text(const std::vector<std::string>& values) {
  return values.empty() ? "-" : joined(values, " | ");
}

/// Returns a line a setting and two below it, as values may be long.
std::string differences_text(const char* heading, const std::vector<SettingDifference>& differences) {
  if (differences.empty()) return concat(heading, ": no difference\n");
  std::string text = concat(heading, ":\n");
  for (const SettingDifference& difference : differences)
    text += concat("  ", difference.name, "\n    A: ", values_text(difference.a),
                   "\n    B: ", values_text(difference.b), "\n");
  return text;
}

std::string group_text(const char* side, const ComparedGroup& group) {
  std::string text = concat(side, ": ", group.name, "\n");
  for (const ComparedTrial& trial : group.trials)
    if (trial.title != group.name) text += concat("   ", trial.title, "\n");
  for (const std::string& note : group.notes) text += concat("   ", note, "\n");
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = group_text("A", comparison.a) + group_text("B", comparison.b) + metrics_text(comparison.table);
  for (const std::string& remark : remarks_of(comparison.table, text_style())) text += remark + "\n";
  text += differences_text("configurations", comparison.configuration);
  return text + differences_text("programs, machines and data", comparison.provenance);
}

}  // namespace gausscse
