#pragma once

#include "base/content_hash.hpp"
#include "experiments/manifest/plan.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Plans of studies whose files lie in a folder of the test.
class Plan : public testing::Test {
 protected:
  Plan() { write_study_files(folder_.path()); }

  std::vector<StudyPlanEntry> plan(const std::string& text, const EarlierTrials& earlier = nothing_done()) const {
    return plan_study(parse_study(text, folder_.path()), earlier,
                      [](const std::filesystem::path& file) { return content_hash(file); });
  }

  /// Trials of the first stage are done, with metrics by their titles; those that are not in the map are not.
  static EarlierTrials done(const std::map<std::string, double>& metrics, const std::set<std::string>& failed = {}) {
    return {[metrics](const PlannedTrial& trial, const std::string& metric) -> std::optional<double> {
              EXPECT_EQ(metric, "dev.auprc");
              const auto found = metrics.find(title_of(trial));
              return found == metrics.end() ? std::nullopt : std::optional(found->second);
            },
            [failed](const PlannedTrial& trial) { return failed.contains(title_of(trial)); }};
  }

  /// Returns all eight of the first stage.
  static std::map<std::string, double> all_done() {
    return {{"choose small 16 1e-5 seed 0", 0.1},   {"choose small 16 3.0e-5 seed 0", 0.4},
            {"choose small 32 1e-5 seed 0", 0.3},   {"choose small 32 3.0e-5 seed 0", 0.2},
            {"choose large 16 1e-5 seed 0", 0.5},   {"choose large 16 3.0e-5 seed 0", 0.6},
            {"choose large 32 1e-5 seed 0", 0.875}, {"choose large 32 3.0e-5 seed 0", 0.7}};
  }

  TemporaryFolder folder_;
};

inline const StudyPlanEntry& entry_of(const std::vector<StudyPlanEntry>& entries, const std::string& title) {
  for (const StudyPlanEntry& entry : entries)
    if (title_of(entry.planned) == title) return entry;
  ADD_FAILURE() << "no trial " << title;
  return entries.front();
}

}  // namespace gausscse
