#include "experiments/trial/trial_reference.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "base/error.hpp"
#include "experiments/trial/recipe_defaults.hpp"
#include "experiments/trial/trial_key.hpp"

namespace gausscse {

namespace {

std::string default_of(const TrialKey& key, const Trial& defaults) {
  if (key.required) return "required";
  if (!key.is_set(defaults)) return "none";
  YAML::Emitter out;
  key.write(defaults, out);
  return concat("`", out.c_str(), "`");
}

}  // namespace

std::string trial_reference() {
  const Trial released = recipe_defaults(setting::Recipe::released);
  const Trial paper = recipe_defaults(setting::Recipe::paper);
  std::string table = "| key | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const TrialKey& key : trial_keys()) {
    std::string value = default_of(key, released);
    const std::string of_paper = default_of(key, paper);
    if (key.name == "recipe") {
      value = "`released`";
    } else if (of_paper != value) {
      value += ", recipe paper: " + of_paper;
    }
    table += concat("| `", key.name, "` | ", key.allowed, " | ", value, " | ", key.meaning, " |\n");
  }
  return table;
}

}  // namespace gausscse
