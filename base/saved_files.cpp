#include "base/saved_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/folder_mark.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Only people, or sentence-transformers, read these of a saved model; folders in it are that library's, too.
constexpr std::array<std::string_view, 3> of_no_bearing = {"README.md", "config_sentence_transformers.json",
                                                           "modules.json"};

bool has_bearing(std::string_view name, SavedFiles which) {
  if (which == SavedFiles::but_weights && name.ends_with(".safetensors")) return false;
  return name.find('/') == std::string_view::npos && std::ranges::find(of_no_bearing, name) == of_no_bearing.end();
}

}  // namespace

void check_saved_files(const fs::path& folder, SavedFiles which) {
  for (const auto& [name, hash] : files_in_mark(folder)) {
    const fs::path file = folder / name;
    if (!has_bearing(name, which)) continue;
    if (!fs::exists(file))
      throw InputError(concat(file.string(), ": is missing, which was saved with this model: copy it again from where ",
                              "it was trained; if it was removed on purpose, remove ",
                              (folder / folder_mark_name).string()));
    if (const std::string now = content_hash(file); now != hash)
      throw InputError(concat(file.string(), ": is not the file that was saved: its XXH3-128 is ", now, ", ",
                              folder_mark_name, " says ", hash,
                              ": copy it again from where it was trained; if it was changed on purpose, remove ",
                              (folder / folder_mark_name).string()));
  }
}

}  // namespace gausscse
