#pragma once

namespace gausscse {

/// Returns the program's version, as in CMakeLists.txt.
const char* version();

/// Returns the commit it was built from, with "-modified" if files differed; "unknown" outside a git checkout.
const char* commit();

}  // namespace gausscse
