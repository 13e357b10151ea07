#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace gausscse::ops {

/// Calls `task(begin, count)` for ranges that cover the rows of `x`. On CPUs they have at most `most` rows and go to
/// all threads, in each of which LibTorch computes with one. On other devices there is one range of all rows.
void for_row_ranges(const at::Tensor& x, std::int64_t most,
                    const std::function<void(std::int64_t begin, std::int64_t count)>& task);

}  // namespace gausscse::ops
