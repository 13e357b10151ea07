#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Returns a cluster of each pair, for draws of pairs that depend on each other: the number of its premise. If the set
/// is `of_sick`, whose sentences stand on both sides, it is the smallest number of a sentence that shared sentences
/// connect it with. `premise` and `hypothesis` are numbers of sentences.
std::vector<std::int64_t> pair_clusters(std::span<const std::uint32_t> premise,
                                        std::span<const std::uint32_t> hypothesis, bool of_sick);

}  // namespace gausscse
