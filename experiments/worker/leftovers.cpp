#include "experiments/worker/leftovers.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/temporary_name.hpp"
#include "experiments/claims/generations.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generation_name.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

void remove_what_workers_left(const std::filesystem::path& results, const StudyState& state) {
  remove_abandoned(results, [](std::string_view name) {
    return name == study_layout::plan || name == study_layout::manifest || name == study_layout::index;
  });
  remove_abandoned(results / study_layout::failed, [](std::string_view name) { return name.ends_with(".json"); });
  remove_left_folders(results, [&](const std::string& identity) { return state.done.contains(identity); });
}

std::vector<std::string> impossible_names_in(const std::filesystem::path& results) {
  std::vector<std::string> warnings;
  for (const char* folder : {study_layout::claims, study_layout::unfinished, study_layout::set_aside})
    for (const std::filesystem::path& path : impossible_generations_in(results / folder))
      warnings.push_back(concat(path.string(), " is ignored: no worker gives this number (numbers go from 1 to ",
                                highest_generation, "): remove it"));
  return warnings;
}

}  // namespace gausscse
