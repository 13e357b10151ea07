#include "results/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

std::string padding(std::size_t width, const std::string& text) {
  return std::string(width - code_points(text), ' ');
}

constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t middle = 3;

using Row = std::vector<std::string>;

Row row_of(const std::string& name, const std::vector<Metric>& metrics, const std::vector<Metric>& columns) {
  Row row{name};
  for (const Metric& column : columns) {
    const Metric* metric = find_metric(metrics, column.name);
    row.push_back(metric ? text_of(metric->unit)(metric->value) : "-");
  }
  return row;
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t widest, std::size_t labels) {
  if (rows.empty()) return "";
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 0);
  for (const auto& row : rows) {
    GAUSSCSE_CHECK(row.size() == columns, row.size(), " cells of ", columns);
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], code_points(row[c]));
  }
  std::string table;
  std::size_t begin = labels, end = labels;
  do {
    std::size_t used = 0;
    for (std::size_t c = 0; c < labels; ++c) used += width[c] + 2;
    for (; end < columns && (end == begin || used + width[end] <= widest); ++end) used += width[end] + 2;
    for (const auto& row : rows) {
      table += row[0] + padding(width[0], row[0]);
      for (std::size_t c = 1; c < end; ++c)
        if (c < labels || c >= begin) table += "  " + padding(width[c], row[c]) + row[c];
      table += '\n';
    }
    begin = end;
  } while (end < columns);
  return table;
}

double mean_of_finite(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

std::string fixed_text(double value, int decimals) {
  if (std::isnan(value)) return "-";
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string percent_text(double fraction) {
  return fixed_text(100.0 * fraction, 2);
}

std::string sparkline(std::span<const double> values, std::size_t width) {
  GAUSSCSE_CHECK(width >= 1, width);
  const std::size_t parts = std::min(width, values.size());
  std::vector<double> heights;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = values.size() * i / parts, end = values.size() * (i + 1) / parts;
    heights.push_back(mean_of_finite(values.subspan(begin, end - begin)));
    if (std::isnan(heights.back())) continue;
    lowest = std::min(lowest, heights.back());
    highest = std::max(highest, heights.back());
  }
  std::string line;
  for (const double height : heights) {
    if (std::isnan(height)) {
      line += ' ';
    } else if (highest > lowest) {
      const double part = (height - lowest) / (highest - lowest) * static_cast<double>(blocks.size());
      line += blocks[std::min(blocks.size() - 1, static_cast<std::size_t>(part))];
    } else {
      line += blocks[middle];
    }
  }
  return line;
}

std::string (*text_of(Unit unit))(double) {
  switch (unit) {
    case Unit::fraction:
      return percent_text;
    case Unit::number:
      return [](double value) { return fixed_text(value, 4); };
    case Unit::count:
      return [](double value) { return fixed_text(value, 0); };
  }
  throw std::logic_error("no unit of this number");
}

std::string heading_of(const Metric& metric) {
  return metric.unit == Unit::fraction ? metric.name + " %" : metric.name;
}

std::vector<std::vector<Row>> measurement_rows(const std::vector<Measurement>& measurements,
                                               const std::vector<Measurement>& backbone) {
  std::vector<std::string> kinds;
  for (const Measurement& measurement : measurements)
    if (std::find(kinds.begin(), kinds.end(), measurement.kind) == kinds.end()) kinds.push_back(measurement.kind);
  std::vector<std::vector<Row>> tables;
  for (const std::string& kind : kinds) {
    std::vector<Metric> columns;
    for (const Measurement& measurement : measurements) {
      if (measurement.kind != kind) continue;
      for (const Metric& metric : measurement.metrics)
        if (metric.name.find('.') == std::string::npos && !find_metric(columns, metric.name)) columns.push_back(metric);
    }
    Row heading{kind};
    for (const Metric& column : columns) heading.push_back(heading_of(column));
    std::vector<Row> rows{heading};
    for (const Measurement& measurement : measurements) {
      if (measurement.kind != kind) continue;
      rows.push_back(row_of(measurement.task, measurement.metrics, columns));
      if (const Measurement* of_backbone = find_measurement(backbone, measurement.task))
        rows.push_back(row_of("- backbone", of_backbone->metrics, columns));
    }
    if (const auto average = average_of(measurements); average && kind == averaged_kind) {
      rows.push_back(row_of(concat("average of ", average->tasks), average->metrics, columns));
      // An average over other tasks would be another metric.
      const auto of_backbone = average_of(backbone);
      if (of_backbone && of_backbone->tasks == average->tasks)
        rows.push_back(row_of("- backbone", of_backbone->metrics, columns));
    }
    tables.push_back(std::move(rows));
  }
  return tables;
}

std::string remark_lines(const std::vector<Measurement>& measurements) {
  std::string text;
  for (const Measurement& measurement : measurements)
    if (!measurement.remark.empty()) text += concat(measurement.task, ": ", measurement.remark, "\n");
  if (const auto average = average_of(measurements); average && !average->remark.empty())
    text += concat("average of ", average->tasks, ": ", average->remark, "\n");
  return text;
}

std::string measurement_table(const StateResult& state) {
  const bool untrained = is_untrained_best(state.state, state.step);
  std::string text;
  if (!state.state.empty())
    text = concat(state.state, " state, after ", state.step, " steps",
                  untrained ? concat(": ", untrained_best_note) : "", "\n");
  for (const std::vector<Row>& rows : measurement_rows(state.tasks, state.backbone))
    text += text_table(rows, measurement_width);
  return text + remark_lines(state.tasks);
}

std::optional<std::string> worse_than_backbone(const StateResult& kept, const std::string& task,
                                               const std::string& metric) {
  const Measurement *of_kept = find_measurement(kept.tasks, task), *of_backbone = find_measurement(kept.backbone, task);
  if (!of_kept || !of_backbone) return std::nullopt;
  const Metric *now = find_metric(of_kept->metrics, metric), *before = find_metric(of_backbone->metrics, metric);
  if (!now || !before || !(now->value < before->value)) return std::nullopt;
  return concat(metric, " of ", task, " is ", fixed_text(now->value, 4),
                " in the kept state, less than the backbone's ", fixed_text(before->value, 4),
                " (its pooled vectors, compared by cosine): the encoder by itself is better",
                " at this; try recipe head, a lower training.learning_rate or more data");
}

}  // namespace gausscse
