#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/rival_cells.hpp"
#include "experiments/tables/table_formats.hpp"

namespace gausscse {

namespace {

/// Returns the shortest text that is read as the same number; nothing for NaN.
std::string number_text(double value) {
  if (std::isnan(value)) return "";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string number_text(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

/// Returns a cell's labels on the axes of its table, and on those that an earlier stage chose.
std::vector<std::pair<std::string, std::string>> labels_of(const StudyTable& table, CellPlace place) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const auto* axes : {&table.row_axes, &table.column_axes})
    for (const std::string& axis : *axes) labels.emplace_back(axis, label_of_cell(table, place, axis));
  const auto& chosen = table.cells[place.row][place.column].chosen;
  labels.insert(labels.end(), chosen.begin(), chosen.end());
  return labels;
}

/// Returns "0=0.7763 1=0.7701": seeds and values.
std::string values_text(const TableCell& cell) {
  return joined(cell.values, " ",
                [](const CellValue& each) { return concat(each.seed, "=", number_text(each.value)); });
}

std::string tests_text(const TableCell& cell) {
  std::string text;
  for (const CellTest& test : cell.tests) {
    text += concat(text.empty() ? "" : "; ", test.rival, ":");
    std::string parts;
    const auto add = [&](const auto&... part) { parts += concat(parts.empty() ? " " : ", ", part...); };
    if (test.p) add("p ", number_text(test.p));
    if (test.holm_p) add("p by Holm ", number_text(test.holm_p));
    if (test.low)
      add("difference from ", number_text(test.low), " to ", number_text(test.high), ", p over items ",
          number_text(test.bootstrap_p));
    if (test.seeds_p) add("p over seeds ", number_text(test.seeds_p));
    if (!test.seeds.empty()) add("only this ", test.sum.only_first, ", only that ", test.sum.only_second);
    for (const McNemarTest& of_seed : test.seeds) add("p of seed ", *of_seed.seed, " ", number_text(of_seed.p));
    text += parts;
  }
  return text;
}

std::string csv_line(const std::vector<std::string>& fields) {
  return joined(fields, ",", csv_field) + "\r\n";
}

std::vector<std::string> cell_fields(const StudyTable& table, CellPlace place, const std::vector<std::string>& axes) {
  const TableCell& cell = table.cells[place.row][place.column];
  const auto labels = labels_of(table, place);
  std::vector<std::string> fields{table.name, table.stage};
  for (const std::string& axis : axes) {
    const auto own = std::find_if(labels.begin(), labels.end(), [&](const auto& label) { return label.first == axis; });
    fields.push_back(own == labels.end() ? std::string() : own->second);
  }
  const std::vector<std::string> rest{table.column_metrics[place.column],
                                      table.column_labels[place.column].back(),
                                      std::string(name_of(cell.unit)),
                                      std::string(name_of(table.aggregation)),
                                      number_text(cell.value),
                                      number_text(cell.deviation),
                                      std::to_string(cell.count),
                                      std::to_string(cell.missing),
                                      cell.best ? "1" : "0",
                                      is_best(cell) ? "1" : "0",
                                      number_text(cell.low),
                                      number_text(cell.high),
                                      number_text(cell.paper),
                                      cell.paper ? number_text(cell.value - *cell.paper) : "",
                                      cell.text,
                                      values_text(cell),
                                      tests_text(cell),
                                      std::to_string(cell.untrained),
                                      place.row < rows_of_trials(table) ? "0" : "1"};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

}  // namespace

std::string tables_csv(std::span<const StudyTable> tables) {
  std::vector<std::string> axes;
  for (const StudyTable& table : tables)
    for (const auto* own : {&table.row_axes, &table.column_axes})
      for (const std::string& axis : *own) add_once(axes, axis);
  for (const StudyTable& table : tables)
    for (const auto& row : table.cells)
      for (const TableCell& cell : row)
        for (const auto& [axis, label] : cell.chosen) add_once(axes, axis);
  std::vector<std::string> header{"table", "stage"};
  for (const std::string& axis : axes) header.push_back("axis." + axis);
  header.insert(header.end(), {"figure", "title", "unit", "aggregation", "value", "deviation", "count", "missing",
                               "best", "stands_out", "low", "high", "paper", "difference", "text", "values", "tests",
                               "untrained", "backbone"});
  std::string csv = csv_line(header);
  for (const StudyTable& table : tables)
    for (std::size_t r = 0; r < table.cells.size(); ++r)
      for (std::size_t c = 0; c < table.cells[r].size(); ++c) csv += csv_line(cell_fields(table, {r, c}, axes));
  return csv;
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const CellTest& test) {
  Json seeds = Json::array();
  for (const McNemarTest& of_seed : test.seeds)
    seeds.push_back({{"seed", *of_seed.seed},
                     {"only_this", of_seed.only_first},
                     {"only_rival", of_seed.only_second},
                     {"p", of_seed.p}});
  Json json{{"rival", test.rival},      {"only_this", test.sum.only_first}, {"only_rival", test.sum.only_second},
            {"p", json_of(test.p)},     {"seeds_p", json_of(test.seeds_p)}, {"significant", test.significant},
            {"seeds", std::move(seeds)}};
  if (test.holm_p) json["holm_p"] = *test.holm_p;
  if (test.low) json["bootstrap"] = {{"low", *test.low}, {"high", *test.high}, {"p", *test.bootstrap_p}};
  return json;
}

Json json_of(const TableCell& cell) {
  Json values = Json::array(), tests = Json::array();
  for (const CellValue& each : cell.values)
    values.push_back({{"seed", each.seed}, {"trial", each.identity}, {"value", each.value}});
  for (const CellTest& test : cell.tests) tests.push_back(json_of(test));
  Json json{{"value", cell.value},
            {"deviation", cell.deviation},
            {"count", cell.count},
            {"missing", cell.missing},
            {"untrained", cell.untrained},
            {"best", cell.best},
            {"stands_out", is_best(cell)},
            {"low", json_of(cell.low)},
            {"high", json_of(cell.high)},
            {"paper", json_of(cell.paper)},
            {"difference", cell.paper ? Json(cell.value - *cell.paper) : Json(nullptr)},
            {"text", cell.text},
            {"values", std::move(values)},
            {"tests", std::move(tests)}};
  for (const auto& [axis, label] : cell.chosen) json["chosen"][axis] = label;
  return json;
}

Json json_of(const std::vector<TableCell>& cells) {
  Json json = Json::array();
  for (const TableCell& cell : cells) json.push_back(json_of(cell));
  return json;
}

Json json_of(const StudyTable& table) {
  Json columns = Json::array(), rows = Json::array(), cells = Json::array(), backbones = Json::array();
  for (std::size_t c = 0; c < table.column_labels.size(); ++c) {
    std::vector<std::string> labels = table.column_labels[c];
    const std::string title = labels.back();
    labels.pop_back();
    columns.push_back({{"labels", std::move(labels)},
                       {"figure", table.column_metrics[c]},
                       {"title", title},
                       {"unit", name_of(table.column_units[c])}});
  }
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    if (r >= rows_of_trials(table)) {
      backbones.push_back({{"label", table.row_labels[r].front()}, {"cells", json_of(table.cells[r])}});
      continue;
    }
    rows.push_back(table.row_labels[r]);
    cells.push_back(json_of(table.cells[r]));
  }
  Json json{{"name", table.name},
            {"title", table.title},
            {"stage", table.stage},
            {"aggregation", name_of(table.aggregation)},
            {"compare", table.compare},
            {"row_axes", table.row_axes},
            {"column_axes", table.column_axes},
            {"rows", std::move(rows)},
            {"columns", std::move(columns)},
            {"cells", std::move(cells)},
            {"notes", table.notes}};
  if (!backbones.empty()) json["backbones"] = std::move(backbones);
  return json;
}

}  // namespace

std::string tables_json(std::span<const StudyTable> tables) {
  Json all = Json::array();
  for (const StudyTable& table : tables) all.push_back(json_of(table));
  const Json document{{"format", "gausscse-tables/2"}, {"tables", std::move(all)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
