#pragma once

#include <cstdint>
#include <functional>

namespace gausscse {

/// Calls task(i, thread) for i from 0 to count - 1, on up to `threads` threads that are numbered from 0, each taking
/// the next i when it is done with one. A task starts no threads, and the bits of LibTorch's matrix products in it
/// depend on their shapes alone. Elsewhere LibTorch's libraries cut a product by the number of threads that is set,
/// even where they use one. An exception of a task is thrown on when all have ended.
void run_tasks(std::int64_t count, int threads, const std::function<void(std::int64_t i, int thread)>& task);

}  // namespace gausscse
