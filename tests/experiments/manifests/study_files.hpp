#pragma once

#include "experiments/manifest/plan.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// The tree's manifests, in their own folder, with small files of their layout in the places that
/// experiments/manifests/README.md gives for corpora and models, and nothing else. A manifest that reads a file which
/// the page does not name cannot be planned.
class StudyFiles {
 public:
  StudyFiles();

  /// Returns the names of all manifests, without ".yaml".
  std::vector<std::string> manifests() const;
  std::filesystem::path path(const std::string& manifest) const;
  std::filesystem::path root() const { return folder_.path(); }

  /// The trials of a study. With `figure` every trial that does not wait counts as done, and its metric is the result
  /// of `figure`; without it nothing is done.
  using MetricOf = std::function<double(const PlannedTrial& trial)>;
  std::vector<StudyPlanEntry> plan(const std::string& manifest, const MetricOf& metric = nullptr) const;

 private:
  TemporaryFolder folder_;
};

/// Returns a folder of the source tree.
std::filesystem::path source_folder(const std::string& name);

/// A row of experiments/paper_figures.
struct PaperRow {
  std::string source, table, task, model, loss, dataset, batch_size, learning_rate, metric, value;
};
/// Returns the rows of a file of that folder; comments and the header are left out. Throws InputError where a row has
/// not ten columns.
std::vector<PaperRow> paper_rows(const std::string& file);

/// Fails the test with the file's name where the header is another.
std::string paper_header(const std::string& file);

}  // namespace gausscse
