#include "experiments/trial/identity_text.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "base/error.hpp"
#include "experiments/schema/key_writer.hpp"
#include "experiments/trial/canonical_trial.hpp"
#include "experiments/trial/objective_keys.hpp"
#include "experiments/trial/task_keys.hpp"
#include "experiments/trial/task_map.hpp"
#include "experiments/trial/term_map.hpp"
#include "experiments/trial/trial_keys.hpp"

namespace gausscse {

namespace {

template <typename Record>
std::string differences(const Keys<Record>& keys, const Record& record, const Record& defaults) {
  YAML::Emitter out;
  out << YAML::Flow;
  write_keys(keys_that_differ(keys, record, defaults), record, out);
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

}  // namespace

std::string identity_text(const Trial& trial) {
  const Trial same = canonical_trial(trial);
  std::string text = concat(differences(trial_keys(), same, Trial()), "\n");
  for (const ObjectiveTerm& term : same.objective.terms)
    text += concat("term ", term.name, ", ", name_of(term.objective.kind), ": ",
                   differences(objective_term_keys(), term, default_term(term.objective.kind)), "\n");
  for (const TaskSettings& task : same.tasks)
    text += concat("task ", task.name, ", ", name_of(kind_of(task)), ": ",
                   differences(task_keys(kind_of(task)), task, default_task(task.name, kind_of(task))), "\n");
  return text;
}

}  // namespace gausscse
