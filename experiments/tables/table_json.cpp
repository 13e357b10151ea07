#include <nlohmann/json.hpp>

#include "experiments/tables/table_formats.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const CellTest& test) {
  Json seeds = Json::array();
  for (std::size_t i = 0; i < test.seeds.size(); ++i)
    seeds.push_back({{"seed", test.seeds[i].seed},
                     {"only_this", test.seeds[i].only_this},
                     {"only_rival", test.seeds[i].only_rival},
                     {"p", test.p_of_seeds[i]}});
  Json json{{"rival", test.rival},      {"only_this", test.only_this},      {"only_rival", test.only_rival},
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
  return {{"value", cell.value},
          {"deviation", cell.deviation},
          {"count", cell.count},
          {"missing", cell.missing},
          {"untrained", cell.untrained},
          {"best", cell.best},
          {"stands_out", stands_out(cell)},
          {"low", json_of(cell.low)},
          {"high", json_of(cell.high)},
          {"paper", json_of(cell.paper)},
          {"difference", cell.paper ? Json(cell.value - *cell.paper) : Json(nullptr)},
          {"text", cell.text},
          {"values", std::move(values)},
          {"tests", std::move(tests)}};
}

Json json_of(const StudyTable& table) {
  Json columns = Json::array(), cells = Json::array();
  for (std::size_t c = 0; c < table.column_labels.size(); ++c) {
    std::vector<std::string> labels = table.column_labels[c];
    const std::string title = labels.back();
    labels.pop_back();
    columns.push_back({{"labels", std::move(labels)},
                       {"figure", table.column_figures[c]},
                       {"title", title},
                       {"unit", name_of(table.column_units[c])}});
  }
  for (const auto& row : table.cells) {
    Json& json_row = cells.emplace_back(Json::array());
    for (const TableCell& cell : row) json_row.push_back(json_of(cell));
  }
  return {{"name", table.name},
          {"title", table.title},
          {"stage", table.stage},
          {"aggregation", name_of(table.aggregation)},
          {"compare", table.compare},
          {"row_axes", table.row_axes},
          {"column_axes", table.column_axes},
          {"rows", table.row_labels},
          {"columns", std::move(columns)},
          {"cells", std::move(cells)},
          {"notes", table.notes}};
}

}  // namespace

std::string tables_json(std::span<const StudyTable> tables) {
  Json all = Json::array();
  for (const StudyTable& table : tables) all.push_back(json_of(table));
  const Json document{{"format", "gausscse-tables/2"}, {"tables", std::move(all)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
