#include "base/saved_files.hpp"

#include <string>
#include <string_view>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/folder_mark.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Only people read it, and they may edit it.
constexpr std::string_view card = "README.md";

bool is_compared(std::string_view name, SavedFiles which) {
  if (which == SavedFiles::but_weights && name.ends_with(".safetensors")) return false;
  return name != card;
}

}  // namespace

void check_saved_files(const fs::path& folder, SavedFiles which) {
  for (const auto& [name, hash] : files_in_mark(folder)) {
    const fs::path file = folder / name;
    if (!is_compared(name, which)) continue;
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
