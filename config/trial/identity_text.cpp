#include "config/trial/identity_text.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "base/error.hpp"
#include "config/schema/key_writer.hpp"
#include "config/trial/canonical_trial.hpp"
#include "config/trial/objective_keys.hpp"
#include "config/trial/task_keys.hpp"
#include "config/trial/task_map.hpp"
#include "config/trial/term_map.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

template <typename Record>
std::string differences(const Keys<Record>& keys, const Record& record, const std::vector<std::string>& defaults) {
  YAML::Emitter out;
  out << YAML::Flow;
  write_keys(keys_that_differ(keys, record, defaults), record, out);
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

}  // namespace

std::string identity_text(const Trial& trial) {
  static const std::vector<std::string> defaults = value_texts(trial_keys(), Trial());
  const Trial same = canonical_trial(trial);
  std::string text = concat(differences(trial_keys(), same, defaults), "\n");
  for (const ObjectiveTerm& term : same.objective.terms) {
    const auto& keys = objective_term_keys();
    const ObjectiveKind kind = term.objective.kind;
    text += concat("term ", term.name, ", ", name_of(kind), ": ",
                   differences(keys, term, value_texts(keys, default_term(kind))), "\n");
  }
  for (const TaskSettings& task : same.tasks) {
    const setting::TaskKind kind = kind_of(task);
    const auto& keys = task_keys(kind);
    text += concat("task ", task.name, ", ", name_of(kind), ": ",
                   differences(keys, task, value_texts(keys, default_task(task.name, kind))), "\n");
  }
  return text;
}

}  // namespace gausscse
