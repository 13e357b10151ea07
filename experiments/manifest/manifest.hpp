#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "base/file.hpp"
#include "config/schema/yaml_node.hpp"

namespace gausscse {

// Values of keys that are one of a few words.
namespace setting {

/// Program that starts the ranks of a trial.
enum class Launcher { none, mpirun, srun };
/// Effect of failed trials on a choice among trials.
enum class FailedTrials { block, leave_out };
/// Aggregation of its trials' metrics in a table's cell.
enum class Aggregation { mean, median, highest };

}  // namespace setting

template <>
inline constexpr NameTable<setting::Launcher, 3> names<setting::Launcher>{
    {{setting::Launcher::none, "none"}, {setting::Launcher::mpirun, "mpirun"}, {setting::Launcher::srun, "srun"}}};
template <>
inline constexpr NameTable<setting::FailedTrials, 2> names<setting::FailedTrials>{
    {{setting::FailedTrials::block, "block"}, {setting::FailedTrials::leave_out, "leave_out"}}};
template <>
inline constexpr NameTable<setting::Aggregation, 3> names<setting::Aggregation>{
    {{setting::Aggregation::mean, "mean"},
     {setting::Aggregation::median, "median"},
     {setting::Aggregation::highest, "highest"}}};

/// A metric that a table prints.
struct TableMetric {
  std::string metric;  ///< "TASK.METRIC", "average.KIND.METRIC" over such columns, or "mean(TASK.METRIC, ...)"
  std::string title;   ///< heading; empty: the metric's name
  /// The paper's words for both, to find its own value; empty: none.
  std::string dataset, paper_metric;
  bool operator==(const TableMetric&) const = default;
};

/// Place of the numbers that a paper prints for a table: in experiments/paper_figures.
struct PaperFigures {
  std::string source;  ///< "v1", "v2", "liao", ...; empty: none
  std::string table;   ///< its number
  /// Columns of the transcription ("model", "loss", "batch_size", "learning_rate") and the axes that give their values.
  std::vector<std::pair<std::string, std::string>> columns;
  bool operator==(const PaperFigures&) const = default;
};

/// A row of metrics that no trial of the study measured: of a model that is not trained, such as word vectors.
struct TableReport {
  std::string file;  ///< file of `gausscse eval --json`, in the folder `reports` of the results folder
  std::vector<std::pair<std::string, std::string>> labels;  ///< its place: axes and labels
  bool operator==(const TableReport&) const = default;
};

/// The choice of an earlier stage from which the trials of a table have settings.
struct TableChoice {
  std::string stage;              ///< earlier stage; empty: nothing was chosen
  std::string metric;             ///< metric by which it was chosen
  std::vector<std::string> axes;  ///< axes that the table's stage took over from it
  bool operator==(const TableChoice&) const = default;
};

/// A table that a study prints. Rows are combinations of labels on the axes `rows`; columns those on the axes
/// `columns`, each with all metrics. A cell takes all seeds, and all trials on axes that are neither.
struct TableSettings {
  std::string name;
  std::string title;
  std::string stage;  ///< stage of its trials; empty: the last
  std::vector<std::string> rows, columns;
  std::vector<TableMetric> metrics;
  setting::Aggregation aggregation = setting::Aggregation::mean;
  /// The axis whose labels compete: within all others the best cell is marked, and differences are tested; empty: the
  /// best of each column is marked, nothing is tested.
  std::string compare;
  /// True if percentages are cut after two decimals, as the GaussCSE papers do, and not rounded.
  bool cut = false;
  PaperFigures paper;
  std::vector<TableReport> reports;  ///< rows before those of trials
  TableChoice choice = {};           ///< choice of the table's stage; no key, but a consequence of `best_of`
  bool operator==(const TableSettings&) const = default;
};

/// An axis of a grid: a trial's key with its values, or a name of the user's with sets of keys.
struct Axis {
  struct Value {
    std::string label;  ///< as written
    YamlNode settings;  ///< a map of trial keys, with their places
  };

  std::string name;
  YamlPosition position;
  std::vector<Value> values;
};

/// Choice by which a stage takes the best point of an earlier one.
struct BestOf {
  std::string stage;
  /// "TASK.METRIC" or "mean(TASK.METRIC, ...)" of the kept state, mean over seeds; the highest wins, of equals the
  /// first.
  std::string metric;
  std::vector<std::string> within;  ///< axes of both stages: the choice is made for each combination of their labels
  setting::FailedTrials failed = setting::FailedTrials::block;
  YamlPosition position;
};

/// A part of a study whose trials do not wait for each other.
struct Stage {
  std::string name;
  YamlPosition position;
  std::vector<Axis> grid;
  std::vector<std::string> unread;  ///< axes of the grid that cannot be read, in a manifest with problems
  /// Combinations of values, one on each axis of the grid: all but the excluded ones, the last axis running fastest.
  /// Then come the included ones, whose values need not be those of the grid.
  std::vector<std::vector<Axis::Value>> points;
  std::vector<std::int64_t> seeds;
  std::optional<BestOf> best_of;
};

/// Resources that a trial takes of the machine, and the way to start it.
struct Resources {
  setting::Launcher launcher = setting::Launcher::none;
  std::int64_t ranks = 1;
  std::int64_t threads = 1;  ///< threads of a rank
  double gpus = 0;           ///< share of a GPU that a rank takes; below 1 trials of one rank share a GPU
  std::vector<std::string> launcher_arguments;
};

/// A study, as its manifest says it; docs/manifest_keys.md has the keys. Values lie in the ranges given there.
struct Manifest {
  std::string name;
  std::string title;
  bool keep_models = true;
  YamlNode defaults;  ///< a map of trial keys
  std::vector<Stage> stages;
  Resources resources;
  std::vector<TableSettings> tables;

  std::filesystem::path base_folder;  ///< folder that relative paths of trials start from; absolute
  std::string text;                   ///< text that it was read from
};

/// Reads a manifest. `source` names the text in messages. Throws InputError that lists every problem found, each with
/// its place: of a manifest that has some also those of its trials, which plan_study reports otherwise.
Manifest parse_manifest(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder);
Manifest read_manifest(const std::filesystem::path& path, Links links = Links::followed);

/// Returns the keys of a manifest, of its stages and of its tables as the tables in Markdown of docs/manifest_keys.md.
std::string manifest_reference();

}  // namespace gausscse
