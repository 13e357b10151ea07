#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

/// Returns a table with two cells of two trials each.
StudyTable table_of_two_cells(setting::Aggregation aggregation) {
  StudyTable table;
  table.name = "nli";
  table.row_axes = {"loss"};
  table.row_labels = {{"ent"}};
  table.column_labels = {{"accuracy"}, {"AUPRC"}};
  table.column_units = {Unit::fraction, Unit::fraction};
  table.aggregation = aggregation;
  TableCell cell;
  cell.value = 0.72;
  cell.deviation = 0.0025;
  cell.count = 2;
  cell.text = "72.00";
  table.cells = {{cell, cell}};
  table.cells[0][1].low = 0.5;
  table.cells[0][1].high = 0.75;
  return table;
}

std::string tables_section(const StudyTable& table) {
  const StudyResults study{"/nowhere", "study", {}};
  const ReportData data;
  HtmlWriter page;
  add_tables(page, {study, data, "", {table}, {}});
  return page.take();
}

TEST(TableSection, HasDeviationsBesideMeans) {
  const std::string html = tables_section(table_of_two_cells(setting::Aggregation::mean));
  EXPECT_TRUE(says(html, "<span>72.00</span><small>\xC2\xB1 0.25</small>\n</td>")) << html;
  EXPECT_TRUE(says(html, "<span>72.00</span><small>\xC2\xB1 0.25</small>\n<small>[50.00, 75.00]</small>")) << html;
}

TEST(TableSection, HasNoneBesideWhatIsNoMean) {
  for (const setting::Aggregation aggregation : {setting::Aggregation::median, setting::Aggregation::highest}) {
    const std::string html = tables_section(table_of_two_cells(aggregation));
    EXPECT_TRUE(says(html, "<span>72.00</span></td>")) << html;
    EXPECT_EQ(html.find("\xC2\xB1"), std::string::npos) << html;
  }
}

TEST(TableSection, HeadsPercentagesWithTheirSign) {
  StudyTable table = table_of_two_cells(setting::Aggregation::mean);
  const std::string head = "<th scope=\"col\">accuracy %</th><th scope=\"col\">", note = "Columns without % are no";
  std::string html = tables_section(table);
  EXPECT_TRUE(says(html, head + "AUPRC %</th>")) << html;
  EXPECT_FALSE(says(html, note));
  table.column_units[1] = Unit::number;
  html = tables_section(table);
  EXPECT_TRUE(says(html, head + "AUPRC</th>")) << html;
  EXPECT_TRUE(says(html, note));
  // The sign is that of the metric, and not of a label above it.
  table.column_labels = {{"dev", "accuracy"}, {"dev", "threshold"}};
  html = tables_section(table);
  EXPECT_TRUE(says(html, "<th scope=\"colgroup\" colspan=\"2\">dev</th>")) << html;
  EXPECT_TRUE(says(html, head + "threshold</th>")) << html;
}

TEST(TableSection, MarksUntrainedStates) {
  StudyTable table = table_of_two_cells(setting::Aggregation::mean);
  table.cells[0][1].untrained = 1;
  const std::string html = tables_section(table);
  EXPECT_TRUE(says(html, "<td class=\"\"><span>72.00</span><small>")) << html;
  EXPECT_TRUE(says(html, "<td class=\"\"><span>72.00</span><span>\xE2\x80\xA1</span><small>")) << html;
  EXPECT_TRUE(says(html, "<li>\xE2\x80\xA1: some trial of the cell kept the state before the first step"));
}

}  // namespace

}  // namespace gausscse
