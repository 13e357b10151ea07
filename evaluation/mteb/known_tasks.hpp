#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gausscse::mteb {

/// Pairs of the test set of MTEB's English STS tasks (STS12 to STS16, STSBenchmark, SICK-R) by mteb 2.26's own
/// statistics; nothing for any other name. SICK-R has all of SICK, not its test set alone.
std::optional<std::size_t> pairs_of_sts_task(std::string_view name);

}  // namespace gausscse::mteb
