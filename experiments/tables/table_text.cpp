#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/tables/table_formats.hpp"
#include "experiments/tables/table_parts.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

const TableStyle& text_style() {
  static const TableStyle style{.escape = [](const std::string& text) { return visible_text(text); },
                                .best = [](const std::string& text) { return "*" + text; },
                                .mark_of_best = "*",
                                .stands_out = "†",
                                .untrained = "‡",
                                .plus_minus = "±",
                                .aligned = true};
  return style;
}

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

}  // namespace gausscse
