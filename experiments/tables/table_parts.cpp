#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using RowOfText = std::vector<std::string>;

bool any_paper(const StudyTable& table, std::size_t column) {
  return std::any_of(table.cells.begin(), table.cells.end(),
                     [&](const std::vector<TableCell>& row) { return row[column].paper.has_value(); });
}

RowOfText escaped_labels(const RowOfText& labels, const TableStyle& style) {
  RowOfText escaped;
  for (const std::string& label : labels) escaped.push_back(style.escape(label));
  if (escaped.empty()) escaped.emplace_back();
  return escaped;
}

std::string text_of_value(const TableCell& cell, const TableStyle& style) {
  const std::string text = style.escape(cell.text);
  return cell.best ? style.best(text) : text;
}

/// Returns the text behind the value, beginning with a blank.
std::string text_behind(const StudyTable& table, const TableCell& cell, const TableStyle& style) {
  std::string text;
  if (const std::optional<double> deviation = deviation_next_to(table, cell))
    text += concat(" ", style.plus_minus, printed_next_to(*deviation, cell.unit));
  if (cell.low)
    text += style.escape(
        concat(" [", printed_next_to(*cell.low, cell.unit), ", ", printed_next_to(*cell.high, cell.unit), "]"));
  if (cell.missing > 0) text += concat(" (", cell.count, " of ", cell.count + cell.missing, ")");
  if (is_best(cell)) text += concat(" ", style.is_best);
  if (cell.untrained > 0) text += concat(" ", style.untrained);
  return text;
}

/// Returns the cells of a column, from the first row on.
RowOfText texts_of_column(const StudyTable& table, std::size_t column, const TableStyle& style) {
  RowOfText behind;
  std::size_t widest = 0;
  for (const auto& row : table.cells) {
    behind.push_back(text_behind(table, row[column], style));
    widest = std::max(widest, code_points(behind.back()));
  }
  RowOfText texts;
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    texts.push_back(text_of_value(table.cells[r][column], style) + behind[r]);
    if (style.aligned) texts.back().append(widest - code_points(behind[r]), ' ');
  }
  return texts;
}

void add_paper_cells(const TableCell& cell, const TableStyle& style, RowOfText& row) {
  const std::string paper = cell.paper ? printed_value(*cell.paper, cell.unit, false) : "-";
  row.push_back(style.escape(paper));
  row.push_back(style.escape(printed_difference(cell.text, paper, cell.unit)));
}

std::string p_or_none(const std::optional<double>& p) {
  return p ? printed_p(*p) : "-";
}

std::string interval_text(const CellTest& test, Unit unit) {
  if (!test.low) return "-";
  return concat("[", printed_next_to(*test.low, unit), ", ", printed_next_to(*test.high, unit), "]");
}

std::string text_of_seeds(const CellTest& test) {
  return joined(test.seeds, ", ", [](const McNemarTest& of_seed) {
    return concat(of_seed.seed ? concat(*of_seed.seed, ": ") : "", printed_p(of_seed.p));
  });
}

}  // namespace

std::optional<double> deviation_next_to(const StudyTable& table, const TableCell& cell) {
  if (table.aggregation != setting::Aggregation::mean || std::isnan(cell.deviation)) return std::nullopt;
  return cell.deviation;
}

std::string heading_of(const StudyTable& table) {
  const std::string title = table.title.empty() ? table.name : table.title;
  return table.stage.empty() ? title : concat(title, title.empty() ? "stage " : ", stage ", table.stage);
}

std::string heading_of_column(const StudyTable& table, std::size_t column) {
  const std::string heading = joined(table.column_labels[column], " ");
  return table.column_units[column] == Unit::fraction ? heading + " %" : heading;
}

TextRows value_rows(const StudyTable& table, const TableStyle& style) {
  TextRows rows{escaped_labels(table.row_axes, style)};
  for (const RowOfText& labels : table.row_labels) rows.push_back(escaped_labels(labels, style));
  for (std::size_t c = 0; c < table.column_labels.size(); ++c) {
    const bool has_paper = any_paper(table, c);
    rows[0].push_back(style.escape(heading_of_column(table, c)));
    if (has_paper) rows[0].insert(rows[0].end(), {"paper", "difference"});
    const RowOfText texts = texts_of_column(table, c, style);
    for (std::size_t r = 0; r < texts.size(); ++r) {
      rows[r + 1].push_back(texts[r]);
      if (has_paper) add_paper_cells(table.cells[r][c], style, rows[r + 1]);
    }
  }
  return rows;
}

TestColumns::TestColumns(const StudyTable& table)
    : mcnemar_(any_test(table, [](const CellTest& test) { return !test.seeds.empty(); })),
      bootstrap_(any_test(table, [](const CellTest& test) { return test.low.has_value(); })),
      seeds_(any_test(table, [](const CellTest& test) { return test.seeds_p.has_value(); })),
      decided_(any_test(table, [](const CellTest& test) { return test.p.has_value(); })),
      holm_(any_test(table, [](const CellTest& test) { return test.holm_p.has_value(); })) {}

RowOfText TestColumns::headings(const std::string& first, const std::string& second) const {
  RowOfText row;
  if (mcnemar_)
    row.insert(row.end(),
               {concat("only ", first, " right"), concat("only ", second, " right"), "McNemar's p of each seed"});
  if (bootstrap_) row.insert(row.end(), {"difference by bootstrap", "p over items"});
  if (seeds_) row.emplace_back("p over seeds");
  if (decided_) row.emplace_back("p");
  if (holm_) row.emplace_back("p by Holm");
  if (decided_) row.emplace_back("differs");
  return row;
}

RowOfText TestColumns::cells(const CellTest* test, Unit unit, const TableStyle& style) const {
  static const CellTest none;
  if (!test) test = &none;
  RowOfText row;
  if (mcnemar_ && test->seeds.empty())
    row.insert(row.end(), {"-", "-", "-"});
  else if (mcnemar_)
    row.insert(row.end(),
               {std::to_string(test->sum.only_first), std::to_string(test->sum.only_second), text_of_seeds(*test)});
  if (bootstrap_) row.insert(row.end(), {interval_text(*test, unit), p_or_none(test->bootstrap_p)});
  if (seeds_) row.push_back(p_or_none(test->seeds_p));
  if (decided_) row.push_back(p_or_none(test->p));
  if (holm_) row.push_back(p_or_none(test->holm_p));
  if (decided_) row.emplace_back(!test->p ? "-" : test->significant ? "yes" : "no");
  for (std::string& text : row) text = style.escape(text);
  return row;
}

TextRows test_rows(const StudyTable& table, const TableStyle& style) {
  if (!any_test(table, [](const CellTest&) { return true; })) return {};
  const TestColumns columns(table);
  TextRows rows{escaped_labels(table.row_axes, style)};
  rows[0].insert(rows[0].end(), {"column", "against"});
  const RowOfText headings = columns.headings("this", "that");
  rows[0].insert(rows[0].end(), headings.begin(), headings.end());
  for (std::size_t c = 0; c < table.column_labels.size(); ++c)
    for (std::size_t r = 0; r < table.cells.size(); ++r)
      for (const CellTest& test : table.cells[r][c].tests) {
        if (!test.first) continue;
        rows.push_back(escaped_labels(table.row_labels[r], style));
        rows.back().push_back(style.escape(heading_of_column(table, c)));
        rows.back().push_back(style.escape(test.rival));
        const RowOfText cells = columns.cells(&test, table.cells[r][c].unit, style);
        rows.back().insert(rows.back().end(), cells.begin(), cells.end());
      }
  return rows;
}

std::vector<std::string> remarks_of(const StudyTable& table, const TableStyle& style) {
  std::vector<std::string> remarks;
  const std::string rivals =
      table.compare.empty() ? std::string("its column") : concat("the labels of ", table.compare);
  if (any_cell(table, [](const TableCell& cell) { return cell.best; }))
    remarks.push_back(concat(style.mark_of_best, ": ", style.escape(concat("the best of ", rivals, ", as printed."))));
  if (any_cell(table, is_best))
    remarks.push_back(
        concat(style.is_best, ": ",
               style.escape("the best, and it differs from each of the others, over items and over seeds.")));
  if (any_cell(table, [](const TableCell& cell) { return cell.untrained > 0; }))
    remarks.push_back(concat(style.untrained, ": ", style.escape(untrained_legend)));
  for (const std::string& note : table.notes) remarks.push_back(style.escape(note));
  return remarks;
}

}  // namespace gausscse
