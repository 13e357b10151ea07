#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gausscse {

/// Returns a number and what is counted, whose plural ends with s: "1 rank", "3 ranks".
inline std::string counted(std::int64_t number, std::string_view noun) {
  return concat(number, " ", noun, number == 1 ? "" : "s");
}

}  // namespace gausscse
