#include "model/ops/dense_copies.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "model/parallel_tasks.hpp"

namespace gausscse::dense_tensors {

namespace {

/// Calls `copy(begin, end)` for ranges that cover `count` items, by all threads where the items are large together.
void for_ranges(std::int64_t count, std::int64_t bytes_of_item,
                const std::function<void(std::int64_t begin, std::int64_t end)>& copy) {
  constexpr std::int64_t bytes_of_task = 1 << 20;
  const std::int64_t items = std::max<std::int64_t>(1, bytes_of_task / std::max<std::int64_t>(1, bytes_of_item));
  if (count <= items) {
    copy(0, count);
    return;
  }
  run_tasks((count + items - 1) / items, at::get_num_threads(),
            [&](std::int64_t i, int) { copy(i * items, std::min(count, (i + 1) * items)); });
}

char* bytes_of(const at::Tensor& tensor) {
  return static_cast<char*>(tensor.mutable_data_ptr());
}
const char* const_bytes_of(const at::Tensor& tensor) {
  return static_cast<const char*>(tensor.const_data_ptr());
}
std::int64_t item_size(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.itemsize());
}

/// The rows of a tensor as bytes.
struct RowBytes {
  explicit RowBytes(const at::Tensor& tensor)
      : first(static_cast<char*>(tensor.unsafeGetTensorImpl()->mutable_data())),
        stride(tensor.stride(0) * item_size(tensor)),
        width(tensor.size(0) == 0 ? 0 : tensor.numel() / tensor.size(0) * item_size(tensor)) {}
  char* row(std::int64_t i) const { return first + i * stride; }

  char* first;
  std::int64_t stride, width;
};

/// Calls `copy(to, from)` for each row of the last dimension, with places in elements.
template <typename Copy>
void for_each_row(const at::Tensor& to, const at::Tensor& from, const Copy& copy) {
  const std::int64_t outer = to.dim() - 1, width = to.size(outer);
  if (to.numel() == 0) return;
  for_ranges(to.numel() / width, width * item_size(to), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t to_place = 0, from_place = 0, rest = row;
      for (std::int64_t i = outer; i-- > 0; rest /= to.size(i)) {
        to_place += rest % to.size(i) * to.stride(i);
        from_place += rest % to.size(i) * from.stride(i);
      }
      copy(to_place, from_place);
    }
  });
}

/// Calls `function` with a number of the type of a tensor of floating point.
template <typename Function>
bool with_float_type(const at::Tensor& tensor, const Function& function) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      function(float{});
      return true;
    case at::kDouble:
      function(double{});
      return true;
    case at::kBFloat16:
      function(at::BFloat16{});
      return true;
    default:
      return false;
  }
}

template <typename To, typename From>
To converted(From value) {
  // float64 is rounded to float32 first, as LibTorch does.
  if constexpr (std::is_same_v<To, at::BFloat16> || std::is_same_v<From, at::BFloat16>)
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

template <typename To, typename From>
void convert_elements(const at::Tensor& to, const at::Tensor& from) {
  const std::int64_t last = to.dim() - 1, width = to.size(last);
  const std::int64_t to_step = to.stride(last), from_step = from.stride(last);
  auto* const to_values = static_cast<To*>(to.mutable_data_ptr());
  const auto* const from_values = static_cast<const From*>(from.const_data_ptr());
  for_each_row(to, from, [&](std::int64_t to_place, std::int64_t from_place) {
    for (std::int64_t i = 0; i < width; ++i)
      to_values[to_place + i * to_step] = converted<To>(from_values[from_place + i * from_step]);
  });
}

void move_elements(const at::Tensor& to, const at::Tensor& from) {
  const std::int64_t last = to.dim() - 1, width = to.size(last), item = item_size(to);
  const std::int64_t to_step = to.stride(last), from_step = from.stride(last);
  char* const to_bytes = bytes_of(to);
  const char* const from_bytes = const_bytes_of(from);
  for_each_row(to, from, [&](std::int64_t to_place, std::int64_t from_place) {
    char* const to_row = to_bytes + to_place * item;
    const char* const from_row = from_bytes + from_place * item;
    if (to_step == 1 && from_step == 1) {
      std::memmove(to_row, from_row, static_cast<std::size_t>(width * item));
      return;
    }
    for (std::int64_t i = 0; i < width; ++i)
      std::memmove(to_row + i * to_step * item, from_row + i * from_step * item, static_cast<std::size_t>(item));
  });
}

}  // namespace

bool can_copy(const at::Tensor& to, const at::Tensor& from) {
  if (to.dim() == 0) return false;
  if (to.dtype() == from.dtype()) return true;
  return with_float_type(to, [](auto) {}) && with_float_type(from, [](auto) {});
}

void copy_elements(const at::Tensor& to, const at::Tensor& from) {
  if (to.dtype() != from.dtype()) {
    with_float_type(to, [&]<typename To>(To) {
      with_float_type(from, [&]<typename From>(From) { convert_elements<To, From>(to, from); });
    });
  } else if (to.is_contiguous() && from.is_contiguous()) {
    for_ranges(static_cast<std::int64_t>(to.nbytes()), 1, [&](std::int64_t begin, std::int64_t end) {
      std::memmove(bytes_of(to) + begin, const_bytes_of(from) + begin, static_cast<std::size_t>(end - begin));
    });
  } else {
    move_elements(to, from);
  }
}

void set_to_zero(const at::Tensor& tensor) {
  for_ranges(static_cast<std::int64_t>(tensor.nbytes()), 1, [&](std::int64_t begin, std::int64_t end) {
    std::memset(bytes_of(tensor) + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

void read_rows(const at::Tensor& table, const at::Tensor& index, const at::Tensor& rows) {
  const auto* numbers = static_cast<const std::int64_t*>(index.const_data_ptr());
  const RowBytes from(table), to(rows);
  for_ranges(rows.size(0), to.width, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::memcpy(to.row(i), from.row(numbers[i]), static_cast<std::size_t>(to.width));
  });
}

void write_rows(const at::Tensor& rows, const at::Tensor& index, const at::Tensor& table) {
  const auto* numbers = static_cast<const std::int64_t*>(index.const_data_ptr());
  const RowBytes from(rows), to(table);
  for (std::int64_t i = 0; i < rows.size(0); ++i)
    std::memcpy(to.row(numbers[i]), from.row(i), static_cast<std::size_t>(from.width));
}

}  // namespace gausscse::dense_tensors
