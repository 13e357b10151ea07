#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns all files' rows.
std::vector<PaperRow> all_paper_rows() {
  std::vector<PaperRow> rows;
  for (const char* file : {"gausscse.csv", "liao.csv", "isotropy.csv"})
    for (const PaperRow& row : paper_rows(file)) rows.push_back(row);
  return rows;
}

const std::string& column_of(const PaperRow& row, const std::string& name) {
  if (name == "model") return row.model;
  if (name == "loss") return row.loss;
  return name == "batch_size" ? row.batch_size : row.learning_rate;
}

/// Trials that a table has rows of: those of its stage, and its reports.
std::vector<PlannedTrial> trials_of_table(const TableSettings& table, const std::string& stage,
                                          const std::vector<StudyPlanEntry>& entries) {
  std::vector<PlannedTrial> trials;
  for (const TableReport& report : table.reports) trials.push_back({stage, report.labels, 0, report.file, ""});
  for (const StudyPlanEntry& entry : entries)
    if (entry.planned.stage == stage) trials.push_back(entry.planned);
  return trials;
}

/// Numbers of the rows that a table finds for a metric of a trial.
std::vector<std::size_t> found_rows(const std::vector<PaperRow>& rows, const TableSettings& table,
                                    const TableMetric& metric, const PlannedTrial& trial) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PaperRow& row = rows[i];
    const bool same = std::all_of(table.paper.columns.begin(), table.paper.columns.end(), [&](const auto& column) {
      const std::string* label = label_on(trial, column.second);
      return label && *label == column_of(row, column.first);
    });
    if (same && row.source == table.paper.source && row.table == table.paper.table && row.dataset == metric.dataset &&
        row.metric == metric.paper_metric)
      found.push_back(i);
  }
  return found;
}

/// The paper's figures that tables of a study print, as "source table", with their number.
using Printed = std::map<std::string, std::size_t>;
Printed printed_by(const StudyFiles& files, const std::string& study) {
  const std::vector<PaperRow> rows = all_paper_rows();
  const Manifest manifest = read_manifest(files.path(study));
  const std::vector<StudyPlanEntry> entries = files.plan(study, [](const PlannedTrial&) { return 0.5; });
  std::map<std::string, std::set<std::size_t>> reached;
  for (const TableSettings& table : manifest.tables) {
    if (table.paper.source.empty()) continue;
    const std::string stage = table.stage.empty() ? manifest.stages.back().name : table.stage;
    for (const TableMetric& metric : table.metrics) {
      for (const PlannedTrial& trial : trials_of_table(table, stage, entries)) {
        const std::vector<std::size_t> found = found_rows(rows, table, metric, trial);
        EXPECT_LE(found.size(), 1u) << study << " " << table.name << " " << metric.metric;
        reached[table.paper.source + " " + table.paper.table].insert(found.begin(), found.end());
      }
    }
  }
  Printed printed;
  for (const auto& [table, numbers] : reached) printed[table] = numbers.size();
  return printed;
}

/// Every metric of a table is printed next to some trial's, but those named below.
TEST(PaperTables, AreFoundByTheirStudies) {
  const StudyFiles files;
  std::map<std::string, std::size_t> sizes;
  for (const PaperRow& row : all_paper_rows()) ++sizes[row.source + " " + row.table];
  EXPECT_EQ(printed_by(files, "gausscse-v2-nli"), (Printed{{"v2 1", sizes.at("v2 1")},
                                                           {"v2 3", sizes.at("v2 3")},
                                                           {"v2 4", sizes.at("v2 4")},
                                                           {"v2 5", sizes.at("v2 5")}}));
  EXPECT_EQ(printed_by(files, "gausscse-v2-grid"), (Printed{{"v2 5", 48}}));
  EXPECT_EQ(printed_by(files, "gausscse-v1"),
            (Printed{{"v1 1", sizes.at("v1 1")}, {"v1 2", sizes.at("v1 2")}, {"v1 3", sizes.at("v1 3")}}));
  // The correlation of two models' changes is no metric of a trial: `gausscse geometry --changes-of` prints it.
  EXPECT_EQ(printed_by(files, "isotropy-geometry"), (Printed{{"isotropy 1", sizes.at("isotropy 1")},
                                                             {"isotropy 3", sizes.at("isotropy 3")},
                                                             {"isotropy text", sizes.at("isotropy text") - 1},
                                                             {"isotropy-released output", 5 * 7},
                                                             {"isotropy-released notebook", 5 * 13}}));
  EXPECT_EQ(printed_by(files, "liao"), (Printed{{"liao 2", sizes.at("liao 2")},
                                                {"liao 3", sizes.at("liao 3")},
                                                {"liao 4", sizes.at("liao 4")},
                                                {"liao 5", sizes.at("liao 5")},
                                                {"liao 6", sizes.at("liao 6")},
                                                {"liao 7", sizes.at("liao 7")},
                                                {"liao-released readme", sizes.at("liao-released readme")}}));
}

TEST(PaperTables, ComeWithTheSetAndTheMetric) {
  const StudyFiles files;
  for (const std::string& study : files.manifests()) {
    for (const TableSettings& table : read_manifest(files.path(study)).tables) {
      for (const TableMetric& metric : table.metrics) {
        EXPECT_EQ(metric.paper_metric.empty(), metric.dataset.empty()) << study << " " << table.name;
        if (!table.paper.source.empty()) {
          EXPECT_FALSE(metric.paper_metric.empty()) << study << " " << table.name;
        }
      }
    }
  }
}

/// The GaussCSE papers cut: 92.637 is printed 92.63.
TEST(PaperTables, AreCutWhereThePaperCuts) {
  const StudyFiles files;
  for (const std::string& study : files.manifests())
    for (const TableSettings& table : read_manifest(files.path(study)).tables)
      EXPECT_EQ(table.cut, table.paper.source == "v1" || table.paper.source == "v2") << study << " " << table.name;
}

}  // namespace
}  // namespace gausscse
