#pragma once

#include <cstddef>
#include <string_view>

namespace gausscse {

/// Returns the end of the extended grapheme cluster (UAX #29, Unicode 17.0) that begins at `begin` < text.size(): a
/// character as readers see it, such as a letter with its accents. `text` is well-formed UTF-8. The next cluster begins
/// at the returned offset.
std::size_t grapheme_cluster_end(std::string_view text, std::size_t begin);

}  // namespace gausscse
