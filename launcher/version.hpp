#pragma once

namespace gausscse {

/// The program's version, as in CMakeLists.txt.
const char* version();

/// The commit it was built from, with "-modified" if files differed; "unknown" outside a git checkout.
const char* commit();

}  // namespace gausscse
