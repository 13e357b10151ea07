#pragma once

#include <cstddef>
#include <string>

namespace gausscse {

/// Counts disturbances of a file, a call or a process by a test. The test program prints the counts at its end, a line
/// for each kind, "disturbances: flipped bits 2816"; scripts/count_disturbances.sh adds them up for
/// docs/reliability.md. For any thread.
void count_disturbance(const std::string& kind, std::size_t times = 1);

void print_disturbances();

}  // namespace gausscse
