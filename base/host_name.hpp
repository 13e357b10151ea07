#pragma once

#include <string>

namespace gausscse {

/// Returns this machine's name, "unknown" where it has none.
std::string host_name();

}  // namespace gausscse
