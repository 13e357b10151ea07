#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

#include "model/tensor/walk.hpp"

namespace at {

namespace {

/// zeros() of at least so many bytes are fresh memory of the system, in large pages: it has 500 times fewer of them.
constexpr std::size_t large = std::size_t{4} << 20;
constexpr std::size_t alignment = 64;

/// Memory that the system refuses. Its text has the size in LibTorch's words, which reports of it look for.
class MemoryRefused : public std::bad_alloc {
 public:
  explicit MemoryRefused(std::size_t bytes)
      : text_("not enough memory: you tried to allocate " + std::to_string(bytes) + " bytes.") {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

std::size_t bytes_of(IntArrayRef sizes, ScalarType type) {
  auto bytes = static_cast<std::int64_t>(element_size(type));
  for (const std::int64_t size : sizes)
    require(size >= 0 && !__builtin_mul_overflow(bytes, size, &bytes), "a size below 0, or too large a tensor");
  return static_cast<std::size_t>(bytes);
}

Tensor::Sizes strides_by_rows(IntArrayRef sizes) {
  Tensor::Sizes strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= std::max<std::int64_t>(1, sizes[i])) strides[i] = stride;
  return strides;
}

Tensor on_memory(std::shared_ptr<void> owner, void* data, std::size_t bytes, IntArrayRef sizes,
                 const TensorOptions& options) {
  require(options.device().is_cpu(), "a program without LibTorch has no tensors on GPUs");
  return Tensor(std::make_shared<Storage>(std::move(owner), data, bytes), options.type(), sizes.vec(),
                strides_by_rows(sizes), 0);
}

}  // namespace

Tensor empty(IntArrayRef sizes, TensorOptions options) {
  const std::size_t bytes = bytes_of(sizes, options.type());
  void* const data = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (!data) throw MemoryRefused(bytes);
  return on_memory(std::shared_ptr<void>(data, &std::free), data, bytes, sizes, options);
}

Tensor zeros(IntArrayRef sizes, TensorOptions options) {
  const std::size_t bytes = bytes_of(sizes, options.type());
  if (bytes < large) {
    Tensor made = empty(sizes, options);
    std::memset(made.mutable_data_ptr(), 0, bytes);
    return made;
  }
  void* const memory = std::calloc(bytes + alignment, 1);
  if (!memory) throw MemoryRefused(bytes);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before_page = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  ::madvise(static_cast<char*>(memory) + before_page, bytes - before_page, MADV_HUGEPAGE);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % alignment;
  return on_memory(std::shared_ptr<void>(memory, &std::free), static_cast<char*>(memory) + (alignment - past), bytes,
                   sizes, options);
}

Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options) {
  Tensor made = empty(sizes, options);
  made.fill_(value);
  return made;
}

Tensor ones(IntArrayRef sizes, TensorOptions options) {
  return full(sizes, 1, options);
}
Tensor empty_like(const Tensor& like) {
  return empty(like.sizes(), like.options());
}
Tensor zeros_like(const Tensor& like) {
  return zeros(like.sizes(), like.options());
}
Tensor zeros_like(const Tensor& like, MemoryFormat) {
  return zeros_like(like);
}
Tensor ones_like(const Tensor& like) {
  return full_like(like, 1);
}
Tensor full_like(const Tensor& like, Scalar value) {
  return full(like.sizes(), value, like.options());
}

Tensor arange(Scalar start, Scalar end, TensorOptions options) {
  const auto first = start.to<std::int64_t>(), last = end.to<std::int64_t>();
  const Tensor made = empty({std::max<std::int64_t>(0, last - first)}, kLong);
  std::iota(made.mutable_data_ptr<std::int64_t>(), made.mutable_data_ptr<std::int64_t>() + made.numel(), first);
  return made.to(options.type());
}

namespace {

template <typename T>
Tensor of_values(ArrayRef<T> values, const TensorOptions& options) {
  const Tensor made = empty({static_cast<std::int64_t>(values.size())}, scalar_type_of<T>);
  std::copy(values.begin(), values.end(), made.mutable_data_ptr<T>());
  return made.to(options.type());
}

}  // namespace

Tensor tensor(ArrayRef<double> values, TensorOptions options) {
  return of_values(values, options);
}
Tensor tensor(ArrayRef<std::int64_t> values, TensorOptions options) {
  return of_values(values, options);
}
Tensor tensor(ArrayRef<std::int32_t> values, TensorOptions options) {
  return of_values(values, options);
}

Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, TensorOptions options) {
  Tensor::Sizes places;
  for (std::int64_t i = 0; i < rows; ++i)
    places.insert(places.end(), std::clamp<std::int64_t>(i + offset + 1, 0, columns), i);
  const auto count = static_cast<std::int64_t>(places.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < std::min(i + offset + 1, columns); ++j) places.push_back(j);
  return tensor(places, options).view({2, count});
}

Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options) {
  return on_memory(nullptr, data, bytes_of(sizes, options.type()), sizes, options);
}

}  // namespace at
