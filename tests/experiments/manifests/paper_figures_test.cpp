#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

double number(const PaperRow& row) {
  std::size_t read = 0;
  const double value = std::stod(row.value, &read);
  EXPECT_EQ(read, row.value.size()) << row.value;
  return value;
}

/// Figures of a table of the second GaussCSE paper, by model, loss, metric, then set.
using Rows = std::map<std::tuple<std::string, std::string, std::string>, std::map<std::string, double>>;
Rows rows_of_v2(const std::string& table) {
  Rows rows;
  for (const PaperRow& row : paper_rows("gausscse.csv"))
    if (row.source == "v2" && row.table == table) rows[{row.model, row.loss, row.metric}][row.dataset] = number(row);
  return rows;
}

TEST(PaperFigures, RowsAreDistinctAndNumbers) {
  const std::map<std::string, std::size_t> sizes = {{"gausscse.csv", 341}, {"liao.csv", 349}, {"isotropy.csv", 164}};
  for (const auto& [file, size] : sizes) {
    SCOPED_TRACE(file);
    EXPECT_EQ(paper_header(file), "source,table,task,model,loss,dataset,batch_size,learning_rate,metric,value");
    std::set<std::vector<std::string>> keys;
    const std::vector<PaperRow> rows = paper_rows(file);
    EXPECT_EQ(rows.size(), size);
    for (const PaperRow& row : rows) {
      EXPECT_TRUE(std::isfinite(number(row)));
      const std::vector<std::string> key = {row.source,  row.table,      row.task,          row.model, row.loss,
                                            row.dataset, row.batch_size, row.learning_rate, row.metric};
      EXPECT_TRUE(keys.insert(key).second) << testing::PrintToString(key);
    }
  }
}

TEST(PaperFigures, AveragesAreThoseOfTheirRows) {
  std::size_t averages = 0;
  for (const char* table : {"1", "2", "4"}) {
    for (const auto& [key, row] : rows_of_v2(table)) {
      ASSERT_EQ(row.size(), 4u);
      // Cut after two decimals, not rounded; the cells were cut, too.
      const double mean = (row.at("snli") + row.at("mnli") + row.at("sick")) / 3;
      EXPECT_GE(mean - row.at("avg"), -0.0051) << table << " " << std::get<0>(key) << " " << std::get<1>(key);
      EXPECT_LT(mean - row.at("avg"), 0.0101) << table << " " << std::get<0>(key) << " " << std::get<1>(key);
      ++averages;
    }
  }
  EXPECT_EQ(averages, 9u + 9u + 17u);
}

TEST(PaperFigures, SmallTablesArePartsOfTheFullOnes) {
  for (const auto& [part, whole] : std::map<std::string, std::string>{{"1", "3"}, {"2", "4"}}) {
    const Rows full = rows_of_v2(whole);
    for (const auto& [key, row] : rows_of_v2(part)) {
      ASSERT_TRUE(full.contains(key));
      for (const char* dataset : {"snli", "mnli", "sick"}) EXPECT_EQ(row.at(dataset), full.at(key).at(dataset));
    }
  }
}

TEST(PaperFigures, AveragesOfLiaoAreThoseOfTheirRows) {
  std::map<std::vector<std::string>, std::pair<double, int>> sums;
  std::map<std::vector<std::string>, double> averages;
  for (const PaperRow& row : paper_rows("liao.csv")) {
    if (row.source != "liao") continue;
    const std::vector<std::string> key = {row.table, row.model, row.loss};
    if (row.dataset == "avg") {
      averages[key] = number(row);
    } else {
      sums[key].first += number(row);
      ++sums[key].second;
    }
  }
  EXPECT_EQ(averages.size(), sums.size());
  for (const auto& [key, average] : averages) {
    const auto [sum, count] = sums.at(key);
    EXPECT_EQ(count, key[0] == "2" || key[0] == "6" || key[0] == "7" ? 5 : 8);
    EXPECT_NEAR(sum / count, average, 0.035) << testing::PrintToString(key);
  }
}

TEST(PaperFigures, SharesOfRogueDimensionsAddUp) {
  std::map<std::string, std::map<std::string, double>> models;
  for (const PaperRow& row : paper_rows("isotropy.csv"))
    if (row.source == "isotropy" && row.table == "1") models[row.model][row.metric] = number(row);
  EXPECT_EQ(models.size(), 4u);
  for (const auto& [model, metric] : models) {
    SCOPED_TRACE(model);
    // Each further dimension has at most the share of the one before.
    const double one = metric.at("rogue.share_of_top.1"), two = metric.at("rogue.share_of_top.2"),
                 three = metric.at("rogue.share_of_top.3");
    EXPECT_LE(two - one, one + 0.001);
    EXPECT_LE(three - two, two - one + 0.001);
    EXPECT_LE(metric.at("rogue.reaching.0.1"), metric.at("rogue.reaching.0.2"));
    EXPECT_LE(metric.at("rogue.reaching.0.2"), metric.at("rogue.reaching.0.5"));
    EXPECT_EQ(metric.at("rogue.reaching.0.1") == 1, one >= 0.1);
  }
}

}  // namespace
}  // namespace gausscse
