#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/manifest/plan.hpp"

namespace gausscse {

/// The plan of a study as its results folder stands: later stages have their settings once the trials are done from
/// which they are chosen.
class StudyPlanner {
 public:
  /// Plans nothing yet. Files are hashed once.
  StudyPlanner(std::filesystem::path results, Manifest manifest)
      : results_(std::move(results)), manifest_(std::move(manifest)) {}
  virtual ~StudyPlanner() = default;

  /// Plans again; failed trials among `retried`, by identity, count as open. Writes nothing. Throws as `plan_study`.
  virtual void plan(const std::set<std::string>& retried = {});
  /// Writes plan.json where it says something else, and manifest.yaml. Throws WriteError.
  virtual void write() const;

  const std::vector<StudyPlanEntry>& trials() const { return trials_; }
  const std::string& manifest_text() const { return manifest_.text; }

 protected:
  std::vector<StudyPlanEntry> trials_;

 private:
  std::filesystem::path results_;
  Manifest manifest_;
  ContentHash content_hash_ = remembered_content_hash();
};

/// Finds out whether a study is run with another manifest now than the one that a worker was started with.
class ManifestWatch {
 public:
  /// Watches `file`, which the worker was started with and which held `text`; `results` is the folder whose plan is of
  /// it.
  ManifestWatch(std::filesystem::path file, const std::string& text, const std::filesystem::path& results);

  /// Returns the change, in words; nothing where all is as it was, or cannot be read now. Files are read again only
  /// where they are not the same, by inode, size and time.
  std::optional<std::string> change();

 private:
  bool is_touched(const std::filesystem::path& file, std::string& seen) const;

  std::filesystem::path file_, plan_;
  std::string hash_;
  std::string file_seen_, plan_seen_;
};

}  // namespace gausscse
