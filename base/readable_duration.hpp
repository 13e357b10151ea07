#pragma once

#include <string>

namespace gausscse {

/// Returns a duration as people read it: 45s, 3m10s, 2h05m. A negative value and NaN give 0s.
std::string readable_duration(double seconds);

}  // namespace gausscse
