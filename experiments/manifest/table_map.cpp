#include <algorithm>

#include "base/lists.hpp"
#include "config/schema/key_reader.hpp"
#include "experiments/manifest/manifest_draft.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the tables below read as tables

Codec<std::string> metric_text() {
  Codec<std::string> metric = text("TASK.METRIC, average.KIND.METRIC, or mean(TASK.METRIC, ...)");
  metric.read = [](const YamlNode& node, const auto&) {
    if (metrics_named(read_text(node)).empty())
      throw ValueProblem{node.position, concat(describe(node), " is not of the form TASK.METRIC")};
    return node.text;
  };
  return metric;
}

/// Reads a metric of a table: a text is the metric alone, a map has its keys.
void read_metric(const YamlNode& node, const std::string& prefix, const KeyContext& context, TableSettings& table) {
  YamlNode map = node;
  if (node.kind == YamlNode::Kind::scalar) {
    map = {};
    map.kind = YamlNode::Kind::map;
    map.position = node.position;
    map.entries.push_back({"figure", node.position, node});
  } else if (node.kind != YamlNode::Kind::map) {
    throw ValueProblem{node.position,
                       concat(describe(node), " is neither TASK.METRIC nor a map with figure: TASK.METRIC")};
  }
  table.metrics.emplace_back();
  KeyReader(table_metric_keys(), context, prefix).read_all(map, table.metrics.back());
}

Key<TableSettings> metrics_key() {
  return required(only_read<TableSettings>(
      "figures", "a list of TASK.METRIC, or of maps", "Metric of each column; the keys of a map are below.",
      [](const YamlNode& node, const KeyContext& context, TableSettings& table) {
        for (const YamlNode& item : items_of(node, "a list of metrics"))
          read_metric(item, concat("tables.", table.name, ".figures."), context, table);
      }));
}

Key<TableSettings> paper_columns_key() {
  return only_read<TableSettings>(
      "paper.columns", "a map from columns of the transcription to axes",
      "Axes by whose labels the paper's numbers are found: {model: backbone, loss: objective.loss}.",
      [](const YamlNode& node, const KeyContext&, TableSettings& table) {
        static const std::vector<std::string> known = {"model", "loss", "batch_size", "learning_rate"};
        for (const YamlNode::Entry& entry : entries_of(node, "a map")) {
          if (!is_among(known, entry.key))
            throw ValueProblem{entry.position,
                               concat(quoted(entry.key), " is none of model, loss, batch_size and learning_rate",
                                      nearest_name(entry.key, known))};
          table.paper.columns.emplace_back(entry.key, read_text(entry.value));
        }
      });
}

/// Throws ValueProblem where the text is no name of a file ending in .json.
void check_report_name(const YamlNode::Entry& entry) {
  const std::string& name = entry.key;
  if (name.size() > 5 && name.ends_with(".json") && name.front() != '.' && name.find('/') == std::string::npos) return;
  throw ValueProblem{entry.position, concat(quoted(name), " is no name of a file that ends in .json")};
}

Key<TableSettings> reports_key() {
  return only_read<TableSettings>(
      "reports", "a map from files to maps from axes to labels",
      "Rows of models that the study does not train: reports of gausscse eval --json in the folder reports of the "
      "results folder, each with its labels: {glove.json: {loss: none}}.",
      [](const YamlNode& node, const KeyContext&, TableSettings& table) {
        for (const YamlNode::Entry& entry : entries_of(node, "a map")) {
          check_report_name(entry);
          TableReport& report = table.reports.emplace_back(TableReport{entry.key, {}});
          for (const YamlNode::Entry& label : entries_of(entry.value, "a map from axes to labels"))
            report.labels.emplace_back(label.key, read_text(label.value));
        }
      });
}

Keys<TableSettings> make_table_keys() {
  return {
      key("title", at(&TableSettings::title), text("a text"), "Title of the table."),
      key("stage", at(&TableSettings::stage), text("the name of a stage"),
          "Stage whose trials are printed; without it the last one."),
      required(key("rows", at(&TableSettings::rows), texts("a list of axes"),
                   "Axes of the rows: one row for each combination of their labels.")),
      key("columns", at(&TableSettings::columns), texts("a list of axes"),
          "Axes of the columns: one column for each combination of their labels and each metric."),
      metrics_key(),
      key("aggregation", at(&TableSettings::aggregation),
          "How the values of a cell's trials are aggregated: those of all seeds and of axes that are neither row "
          "nor column."),
      key("compare", at(&TableSettings::compare), text("an axis"),
          "Axis whose labels compete: the best is marked and differences are tested."),
      key("cut", at(&TableSettings::cut), "Whether percentages are cut after two decimals instead of rounded."),
      key("paper.source", at(&TableSettings::paper, &PaperFigures::source),
          text("v1, v2, liao, liao-released, isotropy or isotropy-released"),
          "Paper whose numbers are printed next to the study's."),
      key("paper.table", at(&TableSettings::paper, &PaperFigures::table), text("a text"),
          "Number of the paper's table."),
      paper_columns_key(),
      reports_key(),
  };
}

Keys<TableMetric> make_metric_keys() {
  return {
      required(
          key("figure", at(&TableMetric::metric), metric_text(), "Metric that is printed, of the state that is kept.")),
      key("title", at(&TableMetric::title), text("a text"), "Heading; without it the metric's name."),
      key("dataset", at(&TableMetric::dataset), text("a text"),
          "Name of the set in the paper, by which its number is found."),
      key("metric", at(&TableMetric::paper_metric), text("a text"), "Name of the metric in the paper."),
  };
}

}  // namespace

const Keys<TableSettings>& table_keys() {
  static const Keys<TableSettings> keys = make_table_keys();
  return keys;
}

const Keys<TableMetric>& table_metric_keys() {
  static const Keys<TableMetric> keys = make_metric_keys();
  return keys;
}

std::vector<TableSettings> read_table_map(const YamlNode& node, const KeyContext& context) {
  const auto add = [&](const YamlPosition& position, const std::string& problem) {
    context.problems.add(concat(to_string(position), ": ", problem));
  };
  std::vector<TableSettings> tables;
  for (const YamlNode::Entry& entry : entries_of(node, "a map from names to tables")) {
    if (!is_test_name(entry.key)) {
      add(entry.position, concat("the name of a table, ", quoted(entry.key), ",", no_name));
    } else if (entry.value.kind != YamlNode::Kind::map) {
      add(entry.value.position, concat("tables.", entry.key, ": ", describe(entry.value),
                                       " is not a map of keys: NAME: {rows: [AXIS], figures: [TASK.METRIC]}"));
    } else {
      tables.push_back({});
      tables.back().name = entry.key;
      KeyReader(table_keys(), context, concat("tables.", entry.key, ".")).read_all(entry.value, tables.back());
    }
  }
  return tables;
}

}  // namespace gausscse
