#pragma once

#include <string_view>

#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Puts `value` at the full name `name` ("a.b.c") as if it were written in `root`, which must be a map: in place of
/// what is there, with maps made on the way. `position` is where the name was written. Throws InputError, beginning
/// with the position, where something on the way is no map, or the name has more parts than a document has levels.
void set_value(YamlNode& root, std::string_view name, const YamlPosition& position, YamlNode value);

/// Puts every entry of the map `over` over those of the map `under`: maps are merged, everything else replaced. Keys
/// may have dots, "training.epochs: 3" then means "training: {epochs: 3}". Throws as `set_value`.
void merge_over(YamlNode& under, const YamlNode& over);

}  // namespace gausscse
