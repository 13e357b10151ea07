#include "tests/experiments/tables/sample_tables.hpp"

#include <algorithm>

namespace gausscse {

namespace {

CellTest test_against(const std::string& rival, std::int64_t only_this, std::int64_t only_rival, bool first) {
  CellTest test;
  test.rival = rival;
  test.seeds = {{0, only_this, only_rival, 0.03125}};
  test.sum = {{}, only_this, only_rival};
  const double sign = first ? -1 : 1;
  test.low = std::min(sign * 0.1, sign * 0.05);
  test.high = std::max(sign * 0.1, sign * 0.05);
  test.bootstrap_p = 0.0015;
  test.seeds_p = 0.0125;
  test.p = 0.0125;
  test.significant = true;
  test.first = first;
  return test;
}

}  // namespace

StudyTable sample_table() {
  StudyTable table;
  table.name = "nli";
  table.title = "NLI";
  table.stage = "final";
  table.compare = "loss";
  table.row_axes = {"loss"};
  table.row_labels = {{"ent"}, {"ent+con"}};
  table.column_labels = {{"acc."}, {"pairs"}};
  table.column_metrics = {"snli.accuracy", "snli.pairs"};
  table.column_units = {Unit::fraction, Unit::count};
  TableCell low, high, pairs, none;
  low.value = 0.72;
  low.deviation = 0.0025;
  low.count = 2;
  low.text = "72.00";
  low.paper = 0.7244;
  low.values = {{0, "t0", 0.7225}, {1, "t1", 0.7175}};
  low.tests = {test_against("ent+con", 0, 6, true)};
  high.value = 0.7763;
  high.count = 1;
  high.missing = 1;
  high.text = "77.63";
  high.best = true;
  high.low = 0.75;
  high.high = 0.8;
  high.values = {{0, "t2", 0.7763}};
  high.tests = {test_against("ent", 6, 0, false)};
  pairs.value = 3368;
  pairs.count = 1;
  pairs.unit = none.unit = Unit::count;
  pairs.text = "3368";
  pairs.values = {{0, "t0", 3368}};
  none.text = "-";
  none.missing = 2;
  table.cells = {{low, pairs}, {high, none}};
  table.notes = {"A note."};
  return table;
}

StudyTable hostile_table() {
  const std::string text =
      "a,b\"c'd`e|f\\g_h&i%j#k$l^m~n{o}p<q>r[s]t*u--v\nw\x1b[31mx\xff \u00e9\u4e2d\u03c4\u0142\u202e\u2014 -- ?` !` "
      "``''";
  StudyTable table = sample_table();
  table.name = table.title = table.stage = text;
  table.row_axes = table.row_labels[0] = table.row_labels[1] = {text};
  table.column_labels = {{"[x]" + text}, {text}};
  table.notes = {text, "\\end{document}", "</script>"};
  for (auto& row : table.cells)
    for (TableCell& cell : row)
      for (CellTest& test : cell.tests) test.rival = text;
  return table;
}

}  // namespace gausscse
