#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/choice.hpp"

namespace gausscse {

/// Unit of a metric, and so how it is printed.
enum class Unit {
  fraction,  ///< fraction of 1, printed in percent
  number,    ///< printed with four decimals
  count      ///< a whole number
};

template <>
inline constexpr NameTable<Unit, 3> names<Unit>{
    {{Unit::fraction, "fraction"}, {Unit::number, "number"}, {Unit::count, "count"}}};

/// A metric's value under its name. A value that does not exist is NaN. A name with a dot is a detail of the one before
/// the dot, such as that of one subset or layer: `spearman.MSRpar`.
struct Metric {
  std::string name;
  double value = 0;
  Unit unit = Unit::fraction;
};

/// Vectors of one width, one behind the other.
struct VectorRows {
  std::int64_t width = 1;
  std::vector<float> values;  ///< [rows, width]
  bool operator==(const VectorRows&) const = default;
};

/// Values that metrics were computed from: one for each of the things that were measured, such as pairs, tokens or
/// dimensions.
struct Column {
  std::string name;
  std::variant<std::vector<float>, std::vector<std::uint8_t>, std::vector<double>, std::vector<std::int64_t>,
               std::vector<std::string>, VectorRows>
      values;
};

/// Metrics and columns that a task measured of one state of a model.
struct Measurement {
  std::string task;  ///< the user's name for it
  std::string kind;  ///< "nli", "sts", ...
  /// True if it stands in no average: it served the training (to select, to choose a threshold), or it is of SICK and
  /// an earlier task was, too.
  bool development = false;
  std::vector<Metric> metrics;
  std::vector<Column> columns;
  std::string remark;  ///< remark that a reader of the metrics needs; may be empty
  /// MTEB's scores of the task under its names, `main_score` the last; empty where nobody asked for them, or MTEB has
  /// no task of this kind.
  std::vector<Metric> mteb_scores = {};
  double seconds = 0;  ///< time that measuring took
  /// Content of the file of the calibration that was fitted on this set; empty where none was.
  std::string calibration = {};
};

/// Returns null where there is no metric of this name.
const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name);

/// Returns the value of a metric of the measurement. Throws InputError, with the names that there are, where it has
/// none.
double metric_of(const Measurement& measurement, std::string_view name);

/// Returns the values of a column; null where the measurement has no such column, or one of another type.
template <typename Values>
const Values* find_column(const Measurement& measurement, std::string_view name) {
  for (const Column& column : measurement.columns)
    if (column.name == name) return std::get_if<Values>(&column.values);
  return nullptr;
}

/// Returns the measurement of this task, or null.
const Measurement* find_measurement(const std::vector<Measurement>& measurements, std::string_view task);

/// Returns whether a task lacks some of its set's data, as a year of STS without one of its subsets. Then its metrics
/// are not those of the set, and no mean is taken of them.
bool is_partial(const Measurement& measurement);

/// Kind of the tasks that are averaged. Papers average sets of STS; other sets that a model happens to be measured on
/// have nothing in common.
inline constexpr std::string_view averaged_kind = "sts";

/// Means over the tasks of `averaged_kind`, each of which counts once.
struct Average {
  std::size_t tasks = 0;  ///< number of tasks
  /// Fractions that all of the tasks have. NaN where one of them is, or a task is partial.
  std::vector<Metric> metrics;
  std::string remark;  ///< remarks of the tasks
};

/// Returns nothing where fewer than two tasks can be averaged: those of the development cannot.
std::optional<Average> average_of(const std::vector<Measurement>& measurements);

inline constexpr std::size_t max_test_name_bytes = 64;

/// Rule of `is_test_name`, for messages.
inline constexpr std::string_view test_name_rule =
    "1 to 64 letters, digits, dashes and underscores (a dot would end it in --set tasks.NAME.KEY=VALUE)";

/// Returns whether a task, a test set or a state may have this name. It names an HDF5 group and a JSON key, and stands
/// between dots in the keys of a trial.
inline bool is_test_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= max_test_name_bytes && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace gausscse
