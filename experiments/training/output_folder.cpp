#include "experiments/training/output_folder.hpp"

#include <string>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// What is wrong with the folder; empty if nothing is.
std::string try_folder(const fs::path& folder, bool overwrite) {
  const fs::path result = folder / "result.h5", probe = folder / ".write-test";
  try {
    fs::create_directories(folder);
    for (const char* name : {"result.h5", "model", ".write-test"}) remove_abandoned_siblings(folder / name);
    if (fs::exists(result) && !overwrite)
      return concat(folder.string(),
                    " holds a result.h5 already, and would lose it: give another `output`, or --overwrite");
    write_file_atomically(probe, std::string_view("gausscse\n"));
    fs::remove(probe);
    if (overwrite) fs::remove(result);
  } catch (const std::exception& error) {
    return concat("the output folder ", folder.string(), " cannot be written to: ", error.what(),
                  ": give another `output`");
  }
  return {};
}

}  // namespace

void prepare_output_folder(const fs::path& folder, bool overwrite, Communicator& communicator) {
  const std::string own = communicator.is_root() ? try_folder(folder, overwrite) : std::string();
  const std::string problem = communicator.all_gather_text(own).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace gausscse
