#include "experiments/compare/comparison_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

Json json_of(const GroupMetric& metric) {
  return {
      {"mean", metric.mean}, {"deviation", metric.deviation}, {"n", metric.values.size()}, {"values", metric.values}};
}

Json json_of(const McNemarTest& test) {
  Json json = Json::object();
  if (test.seed) json["seed"] = *test.seed;
  json.update({{"only_a", test.only_first}, {"only_b", test.only_second}, {"p", test.p}});
  return json;
}

Json json_of(const MetricComparison& metric) {
  Json json{{"task", metric.task},    {"figure", metric.metric}, {"unit", name_of(metric.unit)},
            {"a", json_of(metric.a)}, {"b", json_of(metric.b)},  {"difference", metric.difference}};
  if (metric.backbone_a || metric.backbone_b) {
    const auto json_of_value = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    json["backbone"] = {{"a", json_of_value(metric.backbone_a)}, {"b", json_of_value(metric.backbone_b)}};
  }
  if (metric.welch)
    json["welch"] = {{"t", metric.welch->t}, {"degrees", metric.welch->degrees}, {"p", metric.welch->p}};
  if (metric.bootstrap)
    json["bootstrap"] = {
        {"low", metric.bootstrap->interval.low}, {"high", metric.bootstrap->interval.high}, {"p", metric.bootstrap->p}};
  if (metric.items) {
    json["mcnemar"] = json_of(*metric.items);
    if (!metric.items_of_seeds.empty()) {
      Json seeds = Json::array();
      for (const McNemarTest& test : metric.items_of_seeds) seeds.push_back(json_of(test));
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
  Json metrics = Json::array();
  for (const MetricComparison& metric : comparison.metrics) metrics.push_back(json_of(metric));
  const Json json{{"format", comparison_format},
                  {"a", json_of(comparison.a)},
                  {"b", json_of(comparison.b)},
                  {"figures", std::move(metrics)},
                  {"configuration", json_of(comparison.configuration)},
                  {"provenance", json_of(comparison.provenance)},
                  {"notes", comparison.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

using Row = std::vector<std::string>;

std::string value_text(double value, Unit unit) {
  // Means of counts need not be whole.
  return unit == Unit::count && value != std::floor(value) ? fixed_text(value, 2) : text_of(unit)(value);
}

std::string difference_text(double difference, Unit unit) {
  return concat(difference > 0 ? "+" : "", value_text(difference, unit));
}

std::string p_text(double p) {
  return p < 0.0001 ? "<0.0001" : fixed_text(p, 4);
}

void add_bootstrap(const MetricComparison& metric, Row& row) {
  if (metric.bootstrap)
    row.insert(row.end(), {concat("[", difference_text(metric.bootstrap->interval.low, metric.unit), ", ",
                                  difference_text(metric.bootstrap->interval.high, metric.unit), "]"),
                           p_text(metric.bootstrap->p)});
  else
    row.insert(row.end(), {"-", "-"});
}

void add_discordant(const MetricComparison& metric, Row& row) {
  if (metric.items)
    row.insert(row.end(), {concat(metric.items->only_first), concat(metric.items->only_second)});
  else
    row.insert(row.end(), {"-", "-"});
}

constexpr const char* untrained_mark = "‡";

std::ptrdiff_t untrained_in(const ComparedGroup& group) {
  return std::count_if(group.trials.begin(), group.trials.end(),
                       [](const ComparedTrial& trial) { return trial.untrained; });
}

/// Returns the mean of a group, with a mark where one of its results is of an untrained state.
std::string mean_text(const GroupMetric& metric, Unit unit, const ComparedGroup& group) {
  return concat(value_text(metric.mean, unit), untrained_in(group) > 0 ? untrained_mark : "");
}

/// Returns the headings of the columns of backbones: one where all values of A and B are the same, none without values.
Row backbone_headings(const Comparison& comparison) {
  const auto& metrics = comparison.metrics;
  if (std::any_of(metrics.begin(), metrics.end(), [](const auto& each) { return each.backbone_a != each.backbone_b; }))
    return {"backbone A", "backbone B"};
  const bool has_any =
      std::any_of(metrics.begin(), metrics.end(), [](const auto& each) { return each.backbone_a.has_value(); });
  return has_any ? Row{"backbone"} : Row{};
}

void add_backbones(const MetricComparison& metric, const Comparison& comparison, Row& row) {
  const std::size_t columns = backbone_headings(comparison).size();
  const auto text = [&](const std::optional<double>& value) { return value ? value_text(*value, metric.unit) : "-"; };
  if (columns > 0) row.push_back(text(metric.backbone_a));
  if (columns > 1) row.push_back(text(metric.backbone_b));
}

Row row_of_singles(const MetricComparison& metric, const Comparison& comparison) {
  Row row{heading_of({metric.metric, 0, metric.unit}), mean_text(metric.a, metric.unit, comparison.a),
          mean_text(metric.b, metric.unit, comparison.b), difference_text(metric.difference, metric.unit)};
  add_backbones(metric, comparison, row);
  add_bootstrap(metric, row);
  row.push_back(metric.items ? p_text(metric.items->p) : "-");
  add_discordant(metric, row);
  return row;
}

Row row_of_groups(const MetricComparison& metric, const Comparison& comparison) {
  Row row{heading_of({metric.metric, 0, metric.unit})};
  for (const auto& [of_group, group] : {std::pair(&metric.a, &comparison.a), std::pair(&metric.b, &comparison.b)})
    row.insert(row.end(), {mean_text(*of_group, metric.unit, *group), value_text(of_group->deviation, metric.unit),
                           concat(of_group->values.size())});
  row.push_back(difference_text(metric.difference, metric.unit));
  add_backbones(metric, comparison, row);
  row.push_back(metric.welch ? p_text(metric.welch->p) : "-");
  add_bootstrap(metric, row);
  add_discordant(metric, row);
  return row;
}

/// Returns whether a table has the metric: those of a whole task, and directions without help from length.
bool is_printed(const std::string& metric) {
  const std::size_t dot = metric.find('.');
  if (dot == std::string::npos) return true;
  const std::string stratum = metric.substr(dot + 1);
  return stratum == "equal_length" || stratum == "premise_shorter";
}

std::string metric_tables(const Comparison& comparison) {
  const bool singles = comparison.is_of_single_results();
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < comparison.metrics.size(); begin = end) {
    const std::string& task = comparison.metrics[begin].task;
    std::vector<Row> rows{singles ? Row{task, "A", "B", "B - A"} : Row{task, "A", "sd", "n", "B", "sd", "n", "B - A"}};
    const Row headings = backbone_headings(comparison);
    rows[0].insert(rows[0].end(), headings.begin(), headings.end());
    if (!singles) rows[0].emplace_back("Welch p");
    rows[0].insert(rows[0].end(), {"95 % of B - A", "p over items"});
    if (singles) rows[0].emplace_back("McNemar p");
    rows[0].insert(rows[0].end(), {"only A", "only B"});
    for (; end < comparison.metrics.size() && comparison.metrics[end].task == task; ++end) {
      const MetricComparison& metric = comparison.metrics[end];
      if (is_printed(metric.metric))
        rows.push_back(singles ? row_of_singles(metric, comparison) : row_of_groups(metric, comparison));
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
  std::string text = group_text("A", comparison.a) + group_text("B", comparison.b) + metric_tables(comparison);
  for (const std::string& note : comparison.notes) text += note + "\n";
  text += differences_text("configurations", comparison.configuration);
  return text + differences_text("programs, machines and data", comparison.provenance);
}

}  // namespace gausscse
