#include "launcher/trial_paths.hpp"

#include <iterator>
#include <system_error>

#include "base/error.hpp"

namespace gausscse {

namespace fs = std::filesystem;

fs::path path_from(const fs::path& folder, const fs::path& file) {
  const fs::path absolute = fs::absolute(file).lexically_normal();
  const fs::path relative = absolute.lexically_relative(folder);
  std::error_code ignored;
  // Behind a symbolic link ".." is elsewhere.
  const bool leads_there = fs::equivalent(folder / relative, absolute, ignored);
  const bool has_common_folder = std::next(folder.begin()) != folder.end() &&
                                 std::next(absolute.begin()) != absolute.end() &&
                                 *std::next(folder.begin()) == *std::next(absolute.begin());
  if (relative.empty() || !leads_there || !has_common_folder) return absolute;
  // A shell would expand these.
  const std::string text = relative.string();
  return text.starts_with('~') || text.starts_with('$') ? fs::path(".") / relative : relative;
}

fs::path new_output(const fs::path& folder, const std::string& name) {
  const fs::path parent = folder.filename() == "runs" ? "" : "runs";
  fs::path output = parent / name;
  std::error_code ignored;
  for (int number = 2; fs::exists(fs::symlink_status(folder / output, ignored)); ++number)
    output = parent / concat(name, "-", number);
  return output;
}

}  // namespace gausscse
