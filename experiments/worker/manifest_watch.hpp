#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gausscse {

/// Finds out whether a study is run with another manifest now than the one that a worker was started with.
class ManifestWatch {
 public:
  /// Watches `file`, which the worker was started with and which held `text`; `results` is the folder whose plan is of
  /// it.
  ManifestWatch(std::filesystem::path file, const std::string& text, const std::filesystem::path& results);

  /// Returns what has changed, in words; nothing where all is as it was, or cannot be read now. Files are read again
  /// only where they are not the same, by inode, size and time.
  std::optional<std::string> change();

 private:
  bool is_touched(const std::filesystem::path& file, std::string& seen) const;

  std::filesystem::path file_, plan_;
  std::string hash_;
  std::string file_seen_, plan_seen_;
};

}  // namespace gausscse
