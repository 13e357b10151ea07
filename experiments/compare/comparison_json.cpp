#include <nlohmann/json.hpp>

#include "experiments/compare/comparison_text.hpp"

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

}  // namespace gausscse
