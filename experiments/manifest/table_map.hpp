#pragma once

#include <vector>

#include "config/schema/key.hpp"
#include "experiments/manifest/table_settings.hpp"

namespace gausscse {

/// Reads a map from names to tables, in its order. Problems are added to the context's; whether its axes and stage
/// exist is checked later.
std::vector<TableSettings> read_table_map(const YamlNode& node, const KeyContext& context);

}  // namespace gausscse
