#include "experiments/compare/comparison_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* comparison_format = "gausscse-comparison/1";

Json json_of(const ComparedGroup& group) {
  Json trials = Json::array();
  for (const ComparedTrial& trial : group.trials) {
    trials.push_back({{"title", trial.title}, {"seed", trial.seed ? Json(*trial.seed) : Json()}});
    if (trial.untrained) trials.back()["untrained"] = true;
  }
  return {{"name", group.name}, {"trials", std::move(trials)}, {"notes", group.notes}};
}

Json json_of(const GroupFigure& figure) {
  return {
      {"mean", figure.mean}, {"deviation", figure.deviation}, {"n", figure.values.size()}, {"values", figure.values}};
}

Json json_of(const ItemsTest& test) {
  Json json = Json::object();
  if (test.seed) json["seed"] = *test.seed;
  json.update({{"only_a", test.only_a}, {"only_b", test.only_b}, {"p", test.p}});
  return json;
}

Json json_of(const FigureComparison& figure) {
  Json json{{"task", figure.task},    {"figure", figure.figure}, {"unit", name_of(figure.unit)},
            {"a", json_of(figure.a)}, {"b", json_of(figure.b)},  {"difference", figure.difference}};
  if (figure.welch)
    json["welch"] = {{"t", figure.welch->t}, {"degrees", figure.welch->degrees}, {"p", figure.welch->p}};
  if (figure.bootstrap)
    json["bootstrap"] = {
        {"low", figure.bootstrap->interval.low}, {"high", figure.bootstrap->interval.high}, {"p", figure.bootstrap->p}};
  if (figure.items) {
    json["mcnemar"] = json_of(*figure.items);
    if (!figure.items_of_seeds.empty()) {
      Json seeds = Json::array();
      for (const ItemsTest& test : figure.items_of_seeds) seeds.push_back(json_of(test));
      json["mcnemar"]["seeds"] = std::move(seeds);
    }
  }
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
  Json figures = Json::array();
  for (const FigureComparison& figure : comparison.figures) figures.push_back(json_of(figure));
  const Json json{{"format", comparison_format},
                  {"a", json_of(comparison.a)},
                  {"b", json_of(comparison.b)},
                  {"figures", std::move(figures)},
                  {"configuration", json_of(comparison.configuration)},
                  {"provenance", json_of(comparison.provenance)},
                  {"notes", comparison.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

using Row = std::vector<std::string>;

std::string value_text(double value, Unit unit) {
  switch (unit) {
    case Unit::fraction:
      return percent_text(value);
    case Unit::number:
      return fixed_text(value, 4);
    case Unit::count:
      return fixed_text(value, value == std::floor(value) ? 0 : 2);
  }
  throw std::logic_error("no unit of this number");
}

std::string difference_text(double difference, Unit unit) {
  return concat(difference > 0 ? "+" : "", value_text(difference, unit));
}

std::string p_text(double p) {
  return p < 0.0001 ? "<0.0001" : fixed_text(p, 4);
}

void add_bootstrap(const FigureComparison& figure, Row& row) {
  if (figure.bootstrap)
    row.insert(row.end(), {concat("[", difference_text(figure.bootstrap->interval.low, figure.unit), ", ",
                                  difference_text(figure.bootstrap->interval.high, figure.unit), "]"),
                           p_text(figure.bootstrap->p)});
  else
    row.insert(row.end(), {"-", "-"});
}

void add_discordant(const FigureComparison& figure, Row& row) {
  if (figure.items)
    row.insert(row.end(), {concat(figure.items->only_a), concat(figure.items->only_b)});
  else
    row.insert(row.end(), {"-", "-"});
}

constexpr const char* untrained_mark = "‡";

std::ptrdiff_t untrained_in(const ComparedGroup& group) {
  return std::count_if(group.trials.begin(), group.trials.end(),
                       [](const ComparedTrial& trial) { return trial.untrained; });
}

/// Returns the mean of a group, with a mark where one of its results is of an untrained state.
std::string mean_text(const GroupFigure& figure, Unit unit, const ComparedGroup& group) {
  return concat(value_text(figure.mean, unit), untrained_in(group) > 0 ? untrained_mark : "");
}

Row row_of_singles(const FigureComparison& figure, const Comparison& comparison) {
  Row row{heading_of({figure.figure, 0, figure.unit}), mean_text(figure.a, figure.unit, comparison.a),
          mean_text(figure.b, figure.unit, comparison.b), difference_text(figure.difference, figure.unit)};
  add_bootstrap(figure, row);
  row.push_back(figure.items ? p_text(figure.items->p) : "-");
  add_discordant(figure, row);
  return row;
}

Row row_of_groups(const FigureComparison& figure, const Comparison& comparison) {
  Row row{heading_of({figure.figure, 0, figure.unit})};
  for (const auto& [of_group, group] : {std::pair(&figure.a, &comparison.a), std::pair(&figure.b, &comparison.b)})
    row.insert(row.end(), {mean_text(*of_group, figure.unit, *group), value_text(of_group->deviation, figure.unit),
                           concat(of_group->values.size())});
  row.push_back(difference_text(figure.difference, figure.unit));
  row.push_back(figure.welch ? p_text(figure.welch->p) : "-");
  add_bootstrap(figure, row);
  add_discordant(figure, row);
  return row;
}

std::string figure_tables(const Comparison& comparison) {
  const bool singles = comparison.is_of_single_results();
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < comparison.figures.size(); begin = end) {
    const std::string& task = comparison.figures[begin].task;
    std::vector<Row> rows{singles ? Row{task, "A", "B", "B - A"}
                                  : Row{task, "A", "sd", "n", "B", "sd", "n", "B - A", "Welch p"}};
    rows[0].insert(rows[0].end(), {"95 % of B - A", "p over items"});
    if (singles) rows[0].emplace_back("McNemar p");
    rows[0].insert(rows[0].end(), {"only A", "only B"});
    for (; end < comparison.figures.size() && comparison.figures[end].task == task; ++end) {
      const FigureComparison& figure = comparison.figures[end];
      if (figure.figure.find('.') == std::string::npos)
        rows.push_back(singles ? row_of_singles(figure, comparison) : row_of_groups(figure, comparison));
    }
    text += text_table(rows);
  }
  return text;
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
  if (const std::ptrdiff_t untrained = untrained_in(group); untrained > 0)
    text += concat("   ", untrained_mark, " ", untrained, " of ", group.trials.size(),
                   " kept the untrained state: none of their steps gave a better one\n");
  for (const std::string& note : group.notes) text += concat("   ", note, "\n");
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = group_text("A", comparison.a) + group_text("B", comparison.b) + figure_tables(comparison);
  for (const std::string& note : comparison.notes) text += note + "\n";
  text += differences_text("configurations", comparison.configuration);
  return text + differences_text("programs, machines and data", comparison.provenance);
}

}  // namespace gausscse
