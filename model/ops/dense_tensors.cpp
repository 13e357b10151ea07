#include "model/ops/dense_tensors.hpp"

#include <ATen/core/IListRef.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/ops/dense_copies.hpp"
#include "model/ops/dense_views.hpp"

namespace gausscse::dense_tensors {

namespace {

/// zeros() of at least so many bytes are fresh memory of the system, in large pages: it has 500 times fewer of them.
constexpr std::size_t large = std::size_t{4} << 20;
/// Tensors of LibTorch's allocator begin at multiples of this, and so do those of ours.
constexpr std::size_t alignment = 64;

bool is_plain(Layout layout, Device device, Flag pinned) {
  return layout.value_or(at::kStrided) == at::kStrided && device.value_or(at::kCPU).is_cpu() && !pinned.value_or(false);
}

/// Returns whether a copy of this format is laid out row by row.
bool is_by_rows(const at::Tensor& self, Format format) {
  const at::MemoryFormat wanted = format.value_or(at::MemoryFormat::Preserve);
  return wanted == at::MemoryFormat::Contiguous || (wanted == at::MemoryFormat::Preserve && self.is_contiguous());
}

/// Returns the bytes of a tensor, or nothing for sizes that none can have.
std::optional<std::size_t> bytes_of_tensor(at::IntArrayRef sizes, at::ScalarType type) {
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(type));
  for (const std::int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

at::Tensor make(c10::DataPtr memory, std::size_t bytes, at::IntArrayRef sizes, at::ScalarType type) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, std::move(memory),
                                                       c10::GetCPUAllocator(), true);
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), c10::scalarTypeToTypeMeta(type));
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return tensor;
}

Made make_empty(at::IntArrayRef sizes, at::ScalarType type) {
  const std::optional<std::size_t> bytes = bytes_of_tensor(sizes, type);
  if (!bytes) return std::nullopt;
  return make(c10::GetCPUAllocator()->allocate(*bytes), *bytes, sizes, type);
}

Made make_zeros(at::IntArrayRef sizes, at::ScalarType type) {
  const std::optional<std::size_t> bytes = bytes_of_tensor(sizes, type);
  void* const memory = bytes && *bytes >= large ? std::calloc(*bytes + alignment, 1) : nullptr;
  if (memory) {
    const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before_page = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
    ::madvise(static_cast<char*>(memory) + before_page, *bytes - before_page, MADV_HUGEPAGE);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % alignment;
    return make({static_cast<char*>(memory) + (alignment - past), memory, &std::free, at::kCPU}, *bytes, sizes, type);
  }
  Made tensor = make_empty(sizes, type);
  if (tensor) dense_tensors::zero_(*tensor);
  return tensor;
}

at::ScalarType or_default(Type type) {
  return type ? *type : c10::typeMetaToScalarType(c10::get_default_dtype());
}

/// Returns whether the elements of each row lie next to each other.
bool has_dense_rows(const at::Tensor& tensor) {
  std::int64_t stride = 1;
  for (std::int64_t i = tensor.dim() - 1; i > 0; stride *= tensor.size(i--))
    if (tensor.stride(i) != stride) return false;
  return tensor.dim() > 0;
}

/// Returns whether `rows` are as many rows of `table` as `index` has, and each index is in range.
bool are_rows(const at::Tensor& table, std::int64_t dimension, const at::Tensor& index, const at::Tensor& rows) {
  if (!is_dense(table) || !is_dense(index) || !is_dense(rows) || dimension != 0 || index.dim() != 1 ||
      index.scalar_type() != at::kLong || !index.is_contiguous() || !has_dense_rows(table) || !has_dense_rows(rows) ||
      table.dtype() != rows.dtype() || table.dim() != rows.dim() || rows.size(0) != index.size(0) ||
      table.sizes().slice(1) != rows.sizes().slice(1) || table.storage().is_alias_of(rows.storage()))
    return false;
  const auto* numbers = static_cast<const std::int64_t*>(index.const_data_ptr());
  return std::all_of(numbers, numbers + index.size(0),
                     [&](std::int64_t number) { return number >= 0 && number < table.size(0); });
}

}  // namespace

Made empty(Sizes sizes, Type type, Layout layout, Device device, Flag pinned, Format format) {
  const auto plain = c10::asIntArrayRefSlowOpt(sizes);
  if (!plain || !is_plain(layout, device, pinned) ||
      format.value_or(at::MemoryFormat::Contiguous) != at::MemoryFormat::Contiguous)
    return std::nullopt;
  return make_empty(*plain, or_default(type));
}

Made zeros(Sizes sizes, Type type, Layout layout, Device device, Flag pinned) {
  const auto plain = c10::asIntArrayRefSlowOpt(sizes);
  if (!plain || !is_plain(layout, device, pinned)) return std::nullopt;
  return make_zeros(*plain, or_default(type));
}

Made empty_like(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, Format format) {
  if (!is_dense(self) || !is_plain(layout, device, pinned) || !is_by_rows(self, format)) return std::nullopt;
  return make_empty(self.sizes(), type.value_or(self.scalar_type()));
}

Made zeros_like(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, Format format) {
  if (!is_dense(self) || !is_plain(layout, device, pinned) || !is_by_rows(self, format)) return std::nullopt;
  return make_zeros(self.sizes(), type.value_or(self.scalar_type()));
}

at::Tensor* copy_(at::Tensor& self, const at::Tensor& source, bool) {
  if (!is_dense(self) || !is_dense(source) || self.sizes() != source.sizes() || !can_copy(self, source)) return nullptr;
  copy_elements(self, source);
  return &self;
}

Made clone(const at::Tensor& self, Format format) {
  return dense_tensors::to(self, self.scalar_type(), at::kStrided, at::kCPU, false, false, true, format);
}

Made contiguous(const at::Tensor& self) {
  if (!is_dense(self)) return std::nullopt;
  return self.is_contiguous() ? self : dense_tensors::clone(self, at::MemoryFormat::Contiguous);
}

Made to(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, bool, bool copy, Format format) {
  if (!is_dense(self) || !is_plain(layout, device, pinned)) return std::nullopt;
  const at::ScalarType wanted = type.value_or(self.scalar_type());
  if (!copy && wanted == self.scalar_type() &&
      format.value_or(at::MemoryFormat::Preserve) == at::MemoryFormat::Preserve)
    return self;
  Made copied = dense_tensors::empty_like(self, wanted, layout, device, pinned, format);
  return copied && dense_tensors::copy_(*copied, self, false) ? copied : std::nullopt;
}

Made to_type(const at::Tensor& self, at::ScalarType type, bool non_blocking, bool copy, Format format) {
  return dense_tensors::to(self, type, std::nullopt, std::nullopt, std::nullopt, non_blocking, copy, format);
}

Made cat(const at::ITensorListRef& tensors, std::int64_t dimension) {
  if (tensors.size() == 0) return std::nullopt;
  const at::Tensor first = *tensors.begin();
  if (!is_dense(first) || !has_dimension(first, dimension)) return std::nullopt;
  Dimensions sizes(first.sizes());
  std::int64_t& size = sizes[static_cast<std::size_t>(dimension)] = 0;
  for (const at::Tensor& tensor : tensors) {
    if (!is_dense(tensor) || tensor.dtype() != first.dtype() || tensor.dim() != first.dim()) return std::nullopt;
    for (std::int64_t i = 0; i < first.dim(); ++i)
      if (i != dimension && tensor.size(i) != first.size(i)) return std::nullopt;
    size += tensor.size(dimension);
  }
  Made joined = make_empty(sizes, first.scalar_type());
  std::int64_t begin = 0;
  for (const at::Tensor& tensor : tensors) {
    at::Tensor part = part_of(*joined, dimension, begin, begin + tensor.size(dimension));
    if (!dense_tensors::copy_(part, tensor, false)) return std::nullopt;
    begin += tensor.size(dimension);
  }
  return joined;
}

at::Tensor* zero_(at::Tensor& self) {
  if (!is_dense(self) || !self.is_contiguous()) return nullptr;
  set_to_zero(self);
  return &self;
}

Made index_select(const at::Tensor& self, std::int64_t dimension, const at::Tensor& index) {
  if (!is_dense(self) || self.dim() == 0 || !is_dense(index) || index.dim() != 1) return std::nullopt;
  Dimensions sizes(self.sizes());
  sizes[0] = index.size(0);
  Made rows = make_empty(sizes, self.scalar_type());
  return rows && dense_tensors::index_select_out(self, dimension, index, *rows) ? rows : std::nullopt;
}

at::Tensor* index_select_out(const at::Tensor& self, std::int64_t dimension, const at::Tensor& index, at::Tensor& out) {
  if (!are_rows(self, dimension, index, out)) return nullptr;
  read_rows(self, index, out);
  return &out;
}

at::Tensor* index_copy_(at::Tensor& self, std::int64_t dimension, const at::Tensor& index, const at::Tensor& source) {
  if (!are_rows(self, dimension, index, source)) return nullptr;
  write_rows(source, index, self);
  return &self;
}

}  // namespace gausscse::dense_tensors
