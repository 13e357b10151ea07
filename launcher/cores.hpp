#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// Cores this process may run on; empty where the system does not tell.
std::vector<int> allowed_cores();

/// Open MPI binds each rank to one core unless told otherwise; threads need more. Its own default is undone, a binding
/// that the user asked for is not.
void undo_default_binding();

/// "0-3,8".
std::string ranges_of(const std::vector<int>& numbers);

}  // namespace gausscse
