#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "base/error.hpp"
#include "experiments/trial/trial.hpp"
#include "experiments/trial/trial_key.hpp"

namespace gausscse {

std::string to_yaml(const Trial& trial) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  std::string section;
  for (const TrialKey& key : trial_keys()) {
    if (!key.is_set(trial)) continue;
    if (key.section() != section) {
      if (!section.empty()) out << YAML::EndMap;
      section = key.section();
      if (!section.empty()) out << YAML::Key << section << YAML::Value << YAML::BeginMap;
    }
    out << YAML::Key << key.word() << YAML::Value;
    key.write(trial, out);
  }
  if (!section.empty()) out << YAML::EndMap;
  out << YAML::EndMap << YAML::Newline;
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

}  // namespace gausscse
