#include <algorithm>

#include "experiments/tables/escaped_text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "experiments/tables/table_parts.hpp"

namespace gausscse {

namespace {

const TableStyle& markdown_style() {
  static const TableStyle style{.escape = [](const std::string& text) { return markdown_text(text); },
                                .best = [](const std::string& text) { return "**" + text + "**"; },
                                .mark_of_best = "**bold**",
                                .stands_out = "†",
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

}  // namespace gausscse
