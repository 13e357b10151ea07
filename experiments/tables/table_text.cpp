#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/tables/cell_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "results/text_table.hpp"

namespace gausscse {

const TableStyle& text_style() {
  static const TableStyle style{.escape = [](const std::string& text) { return visible_text(text); },
                                .best = [](const std::string& text) { return "*" + text; },
                                .mark_of_best = "*",
                                .is_best = "†",
                                .untrained = "‡",
                                .plus_minus = "±",
                                .aligned = true};
  return style;
}

namespace {

/// Returns aligned rows, without blanks at their ends.
std::string text_of_rows(const TextRows& rows) {
  std::string text;
  for (const char c : text_table(rows)) {
    if (c == '\n') text.erase(text.find_last_not_of(' ') + 1);
    text += c;
  }
  return text;
}

}  // namespace

std::string table_text(const StudyTable& table) {
  const TableStyle& style = text_style();
  std::string text = style.escape(heading_of(table)) + "\n\n" + text_of_rows(value_rows(table, style));
  if (const TextRows tests = test_rows(table, style); !tests.empty()) text += "\n" + text_of_rows(tests);
  text += "\n";
  for (const std::string& remark : remarks_of(table, style)) text += remark + "\n";
  return text;
}

std::string format_tables(std::span<const StudyTable> tables, TableFormat format) {
  if (format == TableFormat::csv) return tables_csv(tables);
  if (format == TableFormat::json) return tables_json(tables);
  std::string text;
  for (const StudyTable& table : tables) {
    if (!text.empty()) text += "\n";
    text += format == TableFormat::text       ? table_text(table)
            : format == TableFormat::markdown ? table_markdown(table)
                                              : table_latex(table);
  }
  return text;
}

namespace {

const TableStyle& markdown_style() {
  static const TableStyle style{.escape = [](const std::string& text) { return markdown_text(text); },
                                .best = [](const std::string& text) { return "**" + text + "**"; },
                                .mark_of_best = "**bold**",
                                .is_best = "†",
                                .untrained = "‡",
                                .plus_minus = "±"};
  return style;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

/// Returns rows of Markdown. The first columns, with labels, are aligned to the left, the others to the right.
std::string markdown_rows(const TextRows& rows, std::size_t labels) {
  std::string text = markdown_line(rows.front()) + "|";
  for (std::size_t c = 0; c < rows.front().size(); ++c) text += c < labels ? " :-- |" : " --: |";
  text += "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) text += markdown_line(rows[r]);
  return text;
}

}  // namespace

std::string table_markdown(const StudyTable& table) {
  const TableStyle& style = markdown_style();
  const std::size_t labels = std::max<std::size_t>(1, table.row_axes.size());
  std::string text =
      "### " + style.escape(heading_of(table)) + "\n\n" + markdown_rows(value_rows(table, style), labels);
  if (const TextRows tests = test_rows(table, style); !tests.empty()) text += "\n" + markdown_rows(tests, labels + 2);
  text += "\n";
  for (const std::string& remark : remarks_of(table, style)) text += "- " + remark + "\n";
  return text;
}

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
                                .is_best = "$^{\\dagger}$",
                                .untrained = "$^{\\ddagger}$",
                                .plus_minus = "$\\pm$"};
  return style;
}

std::string latex_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) line += (c == 0 ? "" : " & ") + cells[c];
  return line + " \\\\\n";
}

/// Returns commands that the lines of a table need: those of the package booktabs, or plain lines without it.
std::string latex_rules() {
  std::string text = "% Better lines: \\usepackage{booktabs}\n";
  for (const char* rule : {"toprule", "midrule", "bottomrule"})
    text += std::string("\\providecommand{\\") + rule + "}{\\hline}\n";
  return text;
}

/// Returns a name of which LaTeX's labels have each character: any other becomes a hyphen.
std::string label_of(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return name;
}

std::string latex_rows(const TextRows& rows, std::size_t labels) {
  std::string text = "\\begin{tabular}{";
  for (std::size_t c = 0; c < rows.front().size(); ++c) text += c < labels ? 'l' : 'r';
  text += "}\n\\toprule\n" + latex_line(rows.front()) + "\\midrule\n";
  for (std::size_t r = 1; r < rows.size(); ++r) text += latex_line(rows[r]);
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string table_latex(const StudyTable& table) {
  const TableStyle& style = latex_style();
  const std::size_t labels = std::max<std::size_t>(1, table.row_axes.size());
  std::string text = latex_rules() + "\\begin{table}\n\\centering\n\\caption{" + style.escape(heading_of(table)) +
                     "}\n\\label{tab:" + label_of(table.name) + "}\n" + latex_rows(value_rows(table, style), labels);
  if (const TextRows tests = test_rows(table, style); !tests.empty())
    text += "\n\\medskip\n" + latex_rows(tests, labels + 2);
  text += "\n\\begin{flushleft}\\footnotesize\n";
  for (const std::string& remark : remarks_of(table, style)) text += remark + "\\par\n";
  return text + "\\end{flushleft}\n\\end{table}\n";
}

}  // namespace gausscse
