#include "experiments/study/correct_items.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "config/tasks/length_strata.hpp"
#include "config/tasks/nli_task_settings.hpp"

namespace gausscse {

namespace {

// As columns of labels have them, see docs/result_files.md.
constexpr std::uint8_t entailment = 0;
constexpr std::uint8_t no_label = 3;

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

using Numbers = std::vector<std::int64_t>;

constexpr std::array<const char*, 2> length_columns{"premise_characters", "hypothesis_characters"};

/// Columns behind a metric of directions, and the stratum of its pairs: null for all of them.
struct Directions {
  const char* premise_side;
  const char* hypothesis_side;
  const LengthStratum* stratum = nullptr;
};

std::optional<Directions> directions_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view metric = name.substr(0, dot);
  Directions directions{};
  if (metric == "direction_sim")
    directions = {"sim_hypothesis_premise", "sim_premise_hypothesis"};
  else if (metric == "direction_var")
    directions = {"log_std_premise", "log_std_hypothesis"};
  else
    return std::nullopt;
  if (dot == std::string_view::npos) return directions;
  directions.stratum = find_length_stratum(name.substr(dot + 1));
  return directions.stratum ? std::optional(directions) : std::nullopt;
}

/// Returns the name of the metric that counts the pairs of a metric.
std::string counting_metric(const std::optional<Directions>& directions) {
  if (!directions) return "pairs";
  return directions->stratum ? concat("directed_pairs.", directions->stratum->name) : "directed_pairs";
}

template <typename Values>
const Values& column_of(const Measurement& measurement, std::string_view name, std::size_t pairs) {
  const Values* values = find_column<Values>(measurement, name);
  if (!values || values->size() != pairs)
    throw InputError(concat("the task ", quoted(measurement.task), " has ", values ? values->size() : 0, " values of ",
                            quoted(std::string(name)), " for ", pairs, " pairs: its result is damaged"));
  return *values;
}

/// Returns whether pairs that a setting keeps or drops were counted. `with` and `without` are the numbers of pairs with
/// them and without.
bool were_counted(const Measurement& measurement, const char* metric, std::size_t with, std::size_t without) {
  const double counted = metric_of(measurement, metric);
  if (counted == static_cast<double>(with)) return true;
  if (counted == static_cast<double>(without)) return false;
  throw InputError(concat("the metric ", metric, " of the task ", quoted(measurement.task), " is ", counted,
                          ", its columns have ", without, " or ", with, " such pairs: its result is damaged"));
}

Bytes correct_predictions(const Measurement& measurement, const Bytes& label) {
  const Bytes& prediction = column_of<Bytes>(measurement, "prediction", label.size());
  Bytes right;
  for (std::size_t i = 0; i < label.size(); ++i) right.push_back(prediction[i] == label[i]);
  return right;
}

Bytes correct_labels(const Measurement& measurement, const Bytes& label) {
  if (find_column<Bytes>(measurement, "prediction")) return correct_predictions(measurement, label);
  const Floats& similarity = column_of<Floats>(measurement, "sim_hypothesis_premise", label.size());
  const Bytes counted = counted_pairs(measurement);
  const double threshold = metric_of(measurement, "threshold");
  Bytes right;
  for (std::size_t i = 0; i < label.size(); ++i)
    if (counted[i]) right.push_back((similarity[i] >= threshold) == (label[i] == entailment));
  return right;
}

/// Returns for each pair whether it lies in the stratum; null is a stratum of all pairs.
Bytes pairs_in(const LengthStratum* stratum, const Measurement& measurement, std::size_t pairs) {
  if (!stratum) return Bytes(pairs, 1);
  const Numbers& premise = column_of<Numbers>(measurement, length_columns[0], pairs);
  const Numbers& hypothesis = column_of<Numbers>(measurement, length_columns[1], pairs);
  Bytes in_stratum;
  for (std::size_t i = 0; i < pairs; ++i) in_stratum.push_back(stratum->holds(premise[i], hypothesis[i]));
  return in_stratum;
}

Bytes counted_directions(const Measurement& measurement, const Directions& directions) {
  Bytes counted = directed_pairs(measurement);
  const Bytes in_stratum = pairs_in(directions.stratum, measurement, counted.size());
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = counted[i] && in_stratum[i];
  return counted;
}

Bytes correct_directions(const Measurement& measurement, const Bytes& label, const Directions& directions) {
  const Floats& premise_side = column_of<Floats>(measurement, directions.premise_side, label.size());
  const Floats& hypothesis_side = column_of<Floats>(measurement, directions.hypothesis_side, label.size());
  const Bytes counted = counted_directions(measurement, directions);
  Bytes right;
  for (std::size_t i = 0; i < label.size(); ++i)
    if (counted[i]) right.push_back(premise_side[i] > hypothesis_side[i]);
  were_counted(measurement, counting_metric(directions).c_str(), right.size(), right.size());
  return right;
}

}  // namespace

bool records_correct_items(const Measurement& measurement, std::string_view metric) {
  const Metric* found = find_metric(measurement.metrics, metric);
  if (!found || std::isnan(found->value) || !find_column<Bytes>(measurement, "label")) return false;
  if (metric == "accuracy")
    return find_column<Floats>(measurement, "sim_hypothesis_premise") || find_column<Bytes>(measurement, "prediction");
  const std::optional<Directions> directions = directions_of(metric);
  return directions && find_column<Floats>(measurement, directions->premise_side) &&
         find_column<Floats>(measurement, directions->hypothesis_side) &&
         (!directions->stratum || std::all_of(length_columns.begin(), length_columns.end(), [&](const char* column) {
           return find_column<Numbers>(measurement, column) != nullptr;
         }));
}

std::vector<std::uint8_t> correct_items(const Measurement& measurement, std::string_view metric) {
  if (!records_correct_items(measurement, metric))
    throw InputError(
        concat("the task ", quoted(measurement.task), " does not record for which pairs ", quoted(std::string(metric)),
               " is right: results record this for accuracy, and for direction_sim and direction_var of Gaussian ",
               "embeddings, of tasks of the kinds nli and nli_labels"));
  const Bytes& label = *find_column<Bytes>(measurement, "label");
  const std::optional<Directions> directions = directions_of(metric);
  return directions ? correct_directions(measurement, label, *directions) : correct_labels(measurement, label);
}

std::vector<std::uint8_t> counted_items(const Measurement& measurement, std::string_view metric) {
  if (const std::optional<Directions> directions = directions_of(metric))
    return counted_directions(measurement, *directions);
  if (const Bytes* prediction = find_column<Bytes>(measurement, "prediction")) return Bytes(prediction->size(), 1);
  return counted_pairs(measurement);
}

std::vector<std::uint8_t> counted_pairs(const Measurement& measurement) {
  const Bytes& label = *find_column<Bytes>(measurement, "label");
  column_of<Floats>(measurement, "sim_hypothesis_premise", label.size());
  std::size_t labelled = 0;
  for (const std::uint8_t each : label) labelled += each != no_label;
  const bool all_count = were_counted(measurement, "pairs", label.size(), labelled);
  Bytes counted;
  for (const std::uint8_t each : label) counted.push_back(all_count || each != no_label);
  return counted;
}

std::vector<std::uint8_t> directed_pairs(const Measurement& measurement) {
  const Bytes& label = *find_column<Bytes>(measurement, "label");
  const Bytes& both_ways = column_of<Bytes>(measurement, "entails_both_ways", label.size());
  std::size_t entailments = 0, one_way = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    entailments += label[i] == entailment;
    one_way += label[i] == entailment && !both_ways[i];
  }
  const bool all_count = were_counted(measurement, "directed_pairs", entailments, one_way);
  Bytes directed;
  for (std::size_t i = 0; i < label.size(); ++i)
    directed.push_back(label[i] == entailment && (all_count || !both_ways[i]));
  return directed;
}

bool are_of_same_pairs(const Measurement& a, const Measurement& b) {
  const auto equal = [&](const char* column, bool needed) {
    const Bytes* in_a = find_column<Bytes>(a, column);
    const Bytes* in_b = find_column<Bytes>(b, column);
    if (!in_a || !in_b) return !needed && !in_a && !in_b;
    return *in_a == *in_b;
  };
  // Tasks of three labels do not mark pairs that entail both ways.
  return equal("label", true) &&
         equal("entails_both_ways", a.kind == NliTaskSettings::kind || b.kind == NliTaskSettings::kind);
}

void check_same_items(const Measurement& a, const Measurement& b, std::string_view metric) {
  if (!are_of_same_pairs(a, b))
    throw InputError(concat("the task ", quoted(a.task), " has other pairs in one result than in the other (their ",
                            "labels differ): these cannot be tested against each other; measure both on one set"));
  const std::optional<Directions> directions = directions_of(metric);
  for (const char* column : length_columns) {
    const Numbers *in_a = find_column<Numbers>(a, column), *in_b = find_column<Numbers>(b, column);
    if (!directions || !directions->stratum || (in_a && in_b && *in_a == *in_b)) continue;
    throw InputError(concat("the task ", quoted(a.task), " has other lengths of sentences in one result than in the ",
                            "other, or none: its strata of lengths cannot be tested against each other; measure both ",
                            "on one set with the same setting data.trim"));
  }
  const std::string counted = counting_metric(directions);
  const double of_a = metric_of(a, counted), of_b = metric_of(b, counted);
  if (of_a != of_b)
    throw InputError(concat("the task ", quoted(a.task), " counted ", of_a, " pairs in one result and ", of_b,
                            " in the other: these cannot be tested against each other; measure both with the same ",
                            "settings no_gold_label and two_way_pairs"));
}

}  // namespace gausscse
