#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/manifest/manifest_choices.hpp"

namespace gausscse {

/// A metric that a table prints.
struct TableFigure {
  std::string figure;   ///< "TASK.METRIC", or "average.KIND.METRIC" of the tasks of a kind
  std::string title;    ///< heading; empty: the metric's name
  std::string dataset;  ///< the paper's words for it, to find its own metric; empty: none
  std::string metric;
  bool operator==(const TableFigure&) const = default;
};

/// Where a paper's own figures for a table are: in experiments/paper_figures.
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
  std::vector<std::pair<std::string, std::string>> labels;  ///< where it stands: axes and labels
  bool operator==(const TableReport&) const = default;
};

/// A table that a study prints. Rows are combinations of labels on the axes `rows`; columns those on the axes
/// `columns`, each with all metrics. A cell takes all seeds, and all trials on axes that are neither.
struct TableSettings {
  std::string name;
  std::string title;
  std::string stage;  ///< stage of its trials; empty: the last
  std::vector<std::string> rows, columns;
  std::vector<TableFigure> figures;
  setting::Aggregation aggregation = setting::Aggregation::mean;
  /// The axis whose labels compete: within all others the best cell is marked, and differences are tested; empty: the
  /// best of each column is marked, nothing is tested.
  std::string compare;
  /// True if percentages are cut after two decimals, as the GaussCSE papers do, and not rounded.
  bool cut = false;
  PaperFigures paper;
  std::vector<TableReport> reports;  ///< rows before those of trials
  bool operator==(const TableSettings&) const = default;
};

}  // namespace gausscse
