#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gausscse {

/// Returns "1 rank", "3 ranks": a number and what is counted, whose plural ends with s.
inline std::string counted(std::int64_t number, std::string_view noun) {
  return concat(number, " ", noun, number == 1 ? "" : "s");
}

}  // namespace gausscse
