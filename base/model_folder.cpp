#include "base/model_folder.hpp"

#include <system_error>

#include "base/error.hpp"
#include "base/model_argument.hpp"
#include "base/piped_input.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns the name on the hub that a path which leads nowhere may be meant as: its last component, and the one before
/// if that is no folder either.
std::string hub_name(const fs::path& path) {
  std::error_code ignored;
  const fs::path parent = path.parent_path();
  if (parent.empty() || fs::exists(parent, ignored) || parent.filename().empty()) return path.filename().string();
  return (parent.filename() / path.filename()).string();
}

}  // namespace

fs::path model_folder_of(const fs::path& folder) {
  if (folder.empty()) return folder;
  std::error_code ignored;
  for (const char* of_model : {"config.json", "modules.json"})
    if (fs::exists(folder / of_model, ignored)) return folder;
  return fs::exists(folder / "model" / "config.json", ignored) ? folder / "model" : folder;
}

std::string hub_advice(const fs::path& path) {
  // A folder's name may end with a slash.
  const std::string name = hub_name(path.filename().empty() ? path.parent_path() : path);
  return concat("; if ", quoted(name), " is its name on the Hugging Face hub, download it first: hf download ", name,
                " --local-dir ", path.string());
}

void check_model_folder(const fs::path& folder) {
  if (const std::string other = other_than_model(folder); !other.empty())
    throw InputError(concat(folder.string(), ": ", other));
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return;
  if (fs::exists(status))
    throw InputError(concat(folder.string(), " is a file where a model folder is needed: give the folder it is in"));
  if (const std::string lost = lost_pipe_text(folder); !lost.empty())
    throw InputError(concat(folder.string(), ": no such folder: ", lost));
  throw InputError(concat(folder.string(), ": no such folder: give the folder of a model", hub_advice(folder)));
}

}  // namespace gausscse
