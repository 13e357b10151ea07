#pragma once

#include <string>

#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Returns `section`, the map `data` or a task's called `name`, with its `labels` as keys have them, a label and its
/// value in the files: `{entailment: 0}`. A map that was written the other way round, `{0: entailment, 1: neutral}`, is
/// turned: one whose values are all names of labels, and whose keys are not. Adds a problem where two of its keys mean
/// one label.
YamlNode with_labels_by_name(YamlNode section, const std::string& name, ProblemList& problems);

}  // namespace gausscse
