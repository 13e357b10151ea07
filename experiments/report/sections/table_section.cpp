#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/report/html/html_writer.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/report/plots/heat_map.hpp"
#include "experiments/report/sections/report_sections.hpp"
#include "experiments/report/sections/section_parts.hpp"
#include "experiments/tables/table_formats.hpp"

namespace gausscse {

namespace {

constexpr std::size_t longest_label_of_table = 80;
constexpr const char* dagger = "\xE2\x80\xA0";

/// Adds a heading over columns that share their label there, as long as they share those above, too.
void add_column_headings(HtmlWriter& page, const StudyTable& table) {
  const std::size_t levels = table.column_labels.empty() ? 0 : table.column_labels.front().size();
  for (std::size_t level = 0; level < levels; ++level) {
    page.open("tr");
    for (const std::string& axis : table.row_axes) {
      if (level + 1 == levels) {
        page.element("th", axis, {{"scope", "col"}, {"class", "words"}});
      } else {
        page.element("td", "");
      }
    }
    for (std::size_t begin = 0; begin < table.column_labels.size();) {
      std::size_t end = begin + 1;
      const auto& label = table.column_labels[begin];
      while (level + 1 < levels && end < table.column_labels.size() &&
             std::equal(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(level) + 1,
                        table.column_labels[end].begin()))
        ++end;
      const bool is_percentage = level + 1 == levels && table.column_units[begin] == Unit::fraction;
      const std::string text = shortened(label[level], longest_label_of_table) + (is_percentage ? " %" : "");
      if (end == begin + 1) {
        page.element("th", text, {{"scope", "col"}});
      } else {
        page.element("th", text, {{"scope", "colgroup"}, {"colspan", std::to_string(end - begin)}});
      }
      begin = end;
    }
    page.close();
  }
}

std::string interval_text(double low, double high, Unit unit) {
  return concat("[", metric_value_text(low, unit), ", ", metric_value_text(high, unit), "]");
}

/// Returns the lines below a cell's value: spread, interval, the paper's own figure, trials that lack it.
std::vector<std::string> details_of(const StudyTable& table, const TableCell& cell) {
  std::vector<std::string> details;
  if (const std::optional<double> deviation = deviation_next_to(table, cell))
    details.push_back("\xC2\xB1 " + metric_value_text(*deviation, cell.unit));
  if (cell.low && cell.high) details.push_back(interval_text(*cell.low, *cell.high, cell.unit));
  if (cell.paper) details.push_back("paper " + metric_value_text(*cell.paper, cell.unit));
  if (cell.missing > 0) details.push_back(concat(cell.missing, " of ", cell.count + cell.missing, " missing"));
  return details;
}

void add_table_cell(HtmlWriter& page, const StudyTable& table, const TableCell& cell) {
  page.open("td", {{"class", cell.best ? "best" : cell.count == 0 ? "missing" : ""}});
  page.element(cell.best ? "strong" : "span", cell.text.empty() ? "-" : cell.text);
  // A dagger, as significance is marked in the field's tables.
  if (is_best(cell)) page.element("span", dagger);
  if (cell.untrained > 0) page.element("span", untrained_mark_of_page);
  for (const std::string& detail : details_of(table, cell)) page.element("small", detail);
  page.close();
}

std::string place_of(const StudyTable& table, std::size_t row, std::size_t column) {
  std::string place;
  for (const auto* labels : {&table.row_labels[row], &table.column_labels[column]})
    for (const std::string& label : *labels) place += (place.empty() ? "" : ", ") + label;
  return table.column_units[column] == Unit::fraction ? place + " %" : place;
}

std::string p_text(const std::optional<double>& p) {
  return p ? short_number(*p) : "-";
}

void add_test(HtmlWriter& page, const CellTest& test, Unit unit, bool corrected) {
  const bool counted = !test.seeds.empty();
  page.element("td", test.rival, {{"class", "words"}});
  page.element("td", counted ? std::to_string(test.sum.only_first) : "-");
  page.element("td", counted ? std::to_string(test.sum.only_second) : "-");
  const auto p_of = [](const McNemarTest& of_seed) { return short_number(of_seed.p); };
  page.element("td", counted ? joined(test.seeds, ", ", p_of) : "-");
  page.element("td", test.low && test.high ? interval_text(*test.low, *test.high, unit) : "-");
  page.element("td", p_text(test.bootstrap_p)).element("td", p_text(test.seeds_p)).element("td", p_text(test.p));
  if (corrected) page.element("td", p_text(test.holm_p));
  page.element("td", !test.p ? "-" : test.significant ? "yes" : "no");
}

void add_tests(HtmlWriter& page, const StudyTable& table) {
  std::size_t tests = 0;
  for (const auto& row : table.cells)
    for (const TableCell& cell : row) tests += cell.tests.size();
  if (tests == 0) return;
  const bool corrected = any_test(table, [](const CellTest& test) { return test.holm_p.has_value(); });
  // Paper has it unfolded, see style.css.
  page.open("details", {{"class", "printed"}}).element("summary", concat("Tests (", tests, ")"));
  TableHead head{"Tests of " + table.name,
                 "",
                 {"cell", "against", "only this right", "only the other", "McNemar's p of each seed",
                  "95% interval of the difference", "p over items", "p over seeds", "p"},
                 2};
  if (corrected) head.columns.emplace_back("p by Holm");
  head.columns.emplace_back("significant");
  open_table(page, head);
  for (std::size_t row = 0; row < table.cells.size(); ++row) {
    for (std::size_t column = 0; column < table.cells[row].size(); ++column) {
      for (const CellTest& test : table.cells[row][column].tests) {
        page.open("tr").element("th", place_of(table, row, column), {{"scope", "row"}});
        add_test(page, test, table.cells[row][column].unit, corrected);
        page.close();
      }
    }
  }
  close_table(page);
  page.close();
}

/// Adds the meaning of the marks, and the table's notes.
void add_remarks(HtmlWriter& page, const StudyTable& table) {
  std::vector<std::string> remarks;
  if (any_cell(table, [](const TableCell& cell) { return cell.best; }))
    remarks.push_back(table.compare.empty() ? "Bold: the best of its column."
                                            : "Bold: the best among the labels of " + table.compare + ".");
  if (any_cell(table, is_best))
    remarks.push_back(concat(
        dagger, ": the best, and different from each of its rivals at the level of 0.05, over items and over seeds."));
  if (any_cell(table, [](const TableCell& cell) { return cell.untrained > 0; }))
    remarks.push_back(concat(untrained_mark_of_page, ": ", untrained_legend));
  if (any_cell(table, [](const TableCell& cell) { return cell.paper.has_value(); }))
    remarks.emplace_back("paper: the paper's number.");
  if (is_among(table.column_units, Unit::fraction) && std::any_of(table.column_units.begin(), table.column_units.end(),
                                                                  [](Unit unit) { return unit != Unit::fraction; }))
    remarks.emplace_back("Columns without % are no percentages.");
  remarks.insert(remarks.end(), table.notes.begin(), table.notes.end());
  if (remarks.empty()) return;
  page.open("ul", {{"class", "plain quiet"}});
  for (const std::string& remark : remarks) page.element("li", remark);
  page.close();
}

void add_table(HtmlWriter& page, const StudyTable& table) {
  const std::string title = table.title.empty() ? table.name : table.title;
  page.element("h3", title);
  open_scroll(page, title);
  page.open("table").open("thead");
  add_column_headings(page, table);
  page.close().open("tbody");
  for (std::size_t row = 0; row < table.row_labels.size(); ++row) {
    page.open("tr");
    for (const std::string& label : table.row_labels[row])
      page.element("th", shortened(label, longest_label_of_table), {{"scope", "row"}});
    for (const TableCell& cell : table.cells[row]) add_table_cell(page, table, cell);
    page.close();
  }
  page.close().close().close();
  add_remarks(page, table);
  add_tests(page, table);
}

}  // namespace

void add_tables(HtmlWriter& page, const ReportContent& content) {
  if (content.tables.empty()) return;
  for (const StudyTable& table : content.tables) add_table(page, table);
}

}  // namespace gausscse
