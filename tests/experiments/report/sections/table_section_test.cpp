#include <gtest/gtest.h>

#include <string>

#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {

namespace {

using testing_support::says;

/// Returns the section of one table with two cells of two trials each.
std::string tables_section(setting::Aggregation aggregation) {
  StudyTable table;
  table.name = "nli";
  table.row_axes = {"loss"};
  table.row_labels = {{"ent"}};
  table.column_labels = {{"accuracy"}, {"AUPRC"}};
  table.aggregation = aggregation;
  TableCell cell;
  cell.value = 0.72;
  cell.deviation = 0.0025;
  cell.count = 2;
  cell.text = "72.00";
  table.cells = {{cell, cell}};
  table.cells[0][1].low = 0.5;
  table.cells[0][1].high = 0.75;
  const StudyResults study{"/nowhere", "study", {}};
  const ReportData data;
  HtmlWriter page;
  add_tables(page, {study, data, "", {table}, {}});
  return page.take();
}

TEST(TableSection, HasDeviationsBesideMeans) {
  const std::string html = tables_section(setting::Aggregation::mean);
  EXPECT_TRUE(says(html, "<span>72.00</span><small>\xC2\xB1 0.25</small>\n</td>")) << html;
  EXPECT_TRUE(says(html, "<span>72.00</span><small>\xC2\xB1 0.25</small>\n<small>[50.00, 75.00]</small>")) << html;
}

TEST(TableSection, HasNoneBesideWhatIsNoMean) {
  for (const setting::Aggregation aggregation : {setting::Aggregation::median, setting::Aggregation::highest}) {
    const std::string html = tables_section(aggregation);
    EXPECT_TRUE(says(html, "<span>72.00</span></td>")) << html;
    EXPECT_EQ(html.find("\xC2\xB1"), std::string::npos) << html;
  }
}

}  // namespace

}  // namespace gausscse
