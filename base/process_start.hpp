#pragma once

#include <cstdint>
#include <optional>

namespace gausscse {

/// Returns when a process of this host began, in the kernel's ticks since the boot; nothing where no process of this
/// number runs (one that has ended and that its parent has not collected does not) or where it cannot be found out.
/// Number and start together name one process, although numbers are used again.
std::optional<std::uint64_t> start_of_process(std::int64_t number);

/// Returns whether the process of this number that began at `start` has ended; with `start` 0 any of this number. A
/// process that this user may not see counts as running.
bool process_has_ended(std::int64_t number, std::uint64_t start);

/// Returns the process that started `number`; 0 where it cannot be found out.
std::int64_t parent_of_process(std::int64_t number);

}  // namespace gausscse
