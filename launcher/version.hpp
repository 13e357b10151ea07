#pragma once

#include <string>

#include "base/error.hpp"

namespace gausscse {

/// Returns the program's version, as in CMakeLists.txt.
const char* version();

/// Returns the commit it was built from, with "-modified" if files differed; "unknown" outside a git checkout.
const char* commit();

/// Returns "0.2.0 (COMMIT)".
inline std::string version_and_commit() {
  return concat(version(), " (", commit(), ")");
}

}  // namespace gausscse
