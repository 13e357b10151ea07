#include <algorithm>

#include "experiments/tables/escaped_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "experiments/tables/table_parts.hpp"

namespace gausscse {

namespace {

/// Returns a cell, in which a hyphen before a metric is a minus.
std::string latex_cell(const std::string& text) {
  const bool negative = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  return negative ? "$-$" + latex_text(text.substr(1)) : latex_text(text);
}

const TableStyle& latex_style() {
  static const TableStyle style{.escape = [](const std::string& text) { return latex_cell(text); },
                                .best = [](const std::string& text) { return "\\textbf{" + text + "}"; },
                                .mark_of_best = "\\textbf{bold}",
                                .stands_out = "$^{\\dagger}$",
                                .untrained = "$^{\\ddagger}$",
                                .plus_minus = "$\\pm$"};
  return style;
}

std::string latex_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) line += (c == 0 ? "" : " & ") + cells[c];
  return line + " \\\\\n";
}

std::string latex_rows(const TextRows& rows, std::size_t labels) {
  std::string text = "\\begin{tabular}{";
  for (std::size_t c = 0; c < rows.front().size(); ++c) text += c < labels ? 'l' : 'r';
  text += "}\n\\hline\n" + latex_line(rows.front()) + "\\hline\n";
  for (std::size_t r = 1; r < rows.size(); ++r) text += latex_line(rows[r]);
  return text + "\\hline\n\\end{tabular}\n";
}

}  // namespace

std::string table_latex(const StudyTable& table) {
  const TableStyle& style = latex_style();
  const std::size_t labels = std::max<std::size_t>(1, table.row_axes.size());
  std::string text = "\\begin{table}\n\\centering\n\\caption{" + style.escape(heading_of(table)) + "}\n" +
                     latex_rows(value_rows(table, style), labels);
  if (const TextRows tests = test_rows(table, style); !tests.empty())
    text += "\n\\medskip\n" + latex_rows(tests, labels + 2);
  text += "\n\\begin{flushleft}\\footnotesize\n";
  for (const std::string& remark : remarks_of(table, style)) text += remark + "\\par\n";
  return text + "\\end{flushleft}\n\\end{table}\n";
}

}  // namespace gausscse
