#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// Bounds of a document; a file of settings is a page of text.
inline constexpr std::size_t max_yaml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_yaml_nodes = 100'000;
inline constexpr std::size_t max_yaml_depth = 16;

/// Parses one YAML document; an empty text is a null node. Throws InputError with `source:line:column` on invalid YAML
/// or UTF-8, a second document, a key given twice, a key that is not text, an anchor, an alias or a tag. Also on more
/// bytes, nodes or nested values than the bounds above.
/// With `positions` false the nodes name the source only, without line and column.
YamlNode parse_yaml_document(std::string_view yaml, const std::shared_ptr<const std::string>& source,
                             bool positions = true);

}  // namespace gausscse
