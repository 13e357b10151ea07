#pragma once

#include <vector>

#include "config/schema/key.hpp"
#include "model/objective/objective_settings.hpp"

namespace YAML {
class Emitter;
}

namespace gausscse {

/// Returns a term with the defaults of its kind: the temperature of supervised_contrastive, which compares vectors of
/// any length, is 1, and else that of ObjectiveSettings.
ObjectiveTerm default_term(ObjectiveKind kind);

/// Reads a map from names to terms of a sum, as the key `objective.terms` holds it, in its order. Each fault is added
/// to the context's problems: an unknown name or kind, a key that the kind does not have, a value of the wrong type or
/// out of range.
std::vector<ObjectiveTerm> read_term_map(const YamlNode& node, const KeyContext& context);

void write_term_map(const std::vector<ObjectiveTerm>& terms, YAML::Emitter& out);

}  // namespace gausscse
