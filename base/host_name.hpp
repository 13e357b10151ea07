#pragma once

#include <string>

namespace gausscse {

/// This machine's name, "unknown" where it has none.
std::string host_name();

}  // namespace gausscse
