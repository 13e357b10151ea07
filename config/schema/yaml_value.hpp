#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/schema/yaml_node.hpp"

namespace gausscse {

/// A value that does not fit its key. `problem` says how, starting with the value.
struct ValueProblem {
  YamlPosition position;
  std::string problem;
};

/// Returns the value for messages: quoted text, or what kind of value it is.
std::string describe(const YamlNode& node);

/// Returns the integer that a node holds. All readings here are typed and throw ValueProblem where the node holds
/// something else; there is no conversion: 1.0 is no integer, and a quoted number is text.
std::int64_t read_integer(const YamlNode& node);
/// Returns a finite number.
double read_number(const YamlNode& node);
bool read_bool(const YamlNode& node);
/// Returns any scalar, without NUL.
const std::string& read_text(const YamlNode& node);

}  // namespace gausscse
