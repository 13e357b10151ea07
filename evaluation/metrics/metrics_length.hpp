#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Returns the number of Unicode code points of well-formed UTF-8.
std::size_t character_length(std::string_view sentence);

}  // namespace gausscse
