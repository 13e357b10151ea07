#include "results/measurement_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using Row = std::vector<std::string>;

std::string text_of(const Figure& figure) {
  switch (figure.unit) {
    case Unit::fraction:
      return percent_text(figure.value);
    case Unit::number:
      return fixed_text(figure.value, 4);
    case Unit::count:
      return fixed_text(figure.value, 0);
  }
  throw std::logic_error("no unit of this number");
}

Row row_of(const std::string& name, const std::vector<Figure>& figures, const std::vector<Figure>& columns) {
  Row row{name};
  for (const Figure& column : columns) {
    const Figure* figure = find_figure(figures, column.name);
    row.push_back(figure ? text_of(*figure) : "-");
  }
  return row;
}

}  // namespace

std::string heading_of(const Figure& figure) {
  return figure.unit == Unit::fraction ? figure.name + " %" : figure.name;
}

std::vector<std::vector<Row>> measurement_rows(const std::vector<Measurement>& measurements) {
  std::vector<std::string> kinds;
  for (const Measurement& measurement : measurements)
    if (std::find(kinds.begin(), kinds.end(), measurement.kind) == kinds.end()) kinds.push_back(measurement.kind);
  const std::vector<Average> averages = averages_of(measurements);
  std::vector<std::vector<Row>> tables;
  for (const std::string& kind : kinds) {
    std::vector<Figure> columns;
    for (const Measurement& measurement : measurements) {
      if (measurement.kind != kind) continue;
      for (const Figure& figure : measurement.figures)
        if (figure.name.find('.') == std::string::npos && !find_figure(columns, figure.name)) columns.push_back(figure);
    }
    Row heading{kind};
    for (const Figure& column : columns) heading.push_back(heading_of(column));
    std::vector<Row> rows{heading};
    for (const Measurement& measurement : measurements)
      if (measurement.kind == kind) rows.push_back(row_of(measurement.task, measurement.figures, columns));
    for (const Average& average : averages)
      if (average.kind == kind) rows.push_back(row_of("average", average.figures, columns));
    tables.push_back(std::move(rows));
  }
  return tables;
}

std::string remark_lines(const std::vector<Measurement>& measurements) {
  std::string text;
  for (const Measurement& measurement : measurements)
    if (!measurement.remark.empty()) text += concat(measurement.task, ": ", measurement.remark, "\n");
  for (const Average& average : averages_of(measurements))
    if (!average.remark.empty()) text += concat("average of ", average.kind, ": ", average.remark, "\n");
  return text;
}

std::string measurement_table(const StateResult& state) {
  const bool untrained = is_untrained_best(state.state, state.step);
  std::string text;
  if (!state.state.empty())
    text = concat(state.state, " state, after ", state.step, " steps",
                  untrained ? concat(": ", untrained_best_note) : "", "\n");
  for (const std::vector<Row>& rows : measurement_rows(state.tasks)) text += text_table(rows);
  return text + remark_lines(state.tasks);
}

}  // namespace gausscse
