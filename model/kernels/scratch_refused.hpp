#pragma once

#include <cstddef>

namespace gausscse::kernels {

/// Ends the process where a kernel's scratch memory of `bytes` bytes was refused: prints so, with the rank and the
/// remedy. Nothing can be thrown out of the parallel regions that kernels run in.
[[noreturn]] void abort_as_scratch_was_refused(std::size_t bytes);

}  // namespace gausscse::kernels
