#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "model/tensor/types.hpp"

/// Dense tensors on the CPU under LibTorch's names: what the inference and the training on CPUs call of LibTorch, for
/// builds without it (CMake's GAUSSCSE_LIBTORCH=OFF, which the Python package takes).
///
/// A function here has LibTorch's arguments and gives LibTorch's values to rounding. Sums of float32 are added in
/// float64. Arguments that LibTorch refuses, and those of devices, throw at::Error. There is no autograd.
namespace at {

class Tensor;

/// Random numbers as LibTorch's generator for CPUs draws them.
using Generator = std::mt19937;
namespace detail {
Generator createCPUGenerator(std::uint64_t seed);
}

/// Memory of tensors.
class Storage {
 public:
  /// Owner is what keeps the memory, null where somebody else does.
  Storage(std::shared_ptr<void> owner, void* data, std::size_t bytes)
      : owner_(std::move(owner)), data_(data), bytes_(bytes) {}
  void* data_ptr() const { return data_; }
  std::size_t nbytes() const { return bytes_; }

 private:
  std::shared_ptr<void> owner_;
  void* data_;
  std::size_t bytes_;
};

/// Array of elements, a view of a storage. Copies of the object are the same tensor, and views share its memory.
///
///     at::Tensor rows = at::zeros({3, 4}, at::kFloat);
///     rows.select(0, 1).fill_(2);              // row 1, in place
///     const double sum = rows.sum().item<double>();   // 8
class Tensor {
 public:
  using Sizes = std::vector<std::int64_t>;

  Tensor() = default;
  /// View of `storage`: strides and offset are in elements.
  Tensor(std::shared_ptr<Storage> storage, ScalarType type, Sizes sizes, Sizes strides, std::int64_t offset);

  bool defined() const { return view_ != nullptr; }
  void reset() { view_.reset(); }
  bool is_same(const Tensor& other) const { return view_ == other.view_; }
  bool is_alias_of(const Tensor& other) const { return view_->storage == other.view_->storage; }

  IntArrayRef sizes() const { return view_->sizes; }
  IntArrayRef strides() const { return view_->strides; }
  std::int64_t dim() const { return static_cast<std::int64_t>(view_->sizes.size()); }
  /// Counts dimensions from the end if negative.
  std::int64_t size(std::int64_t dimension) const { return view_->sizes[place_of(dimension)]; }
  std::int64_t stride(std::int64_t dimension) const { return view_->strides[place_of(dimension)]; }
  std::int64_t numel() const { return view_->numel; }
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * dtype().itemsize(); }
  std::int64_t storage_offset() const { return view_->offset; }
  const Storage& storage() const { return *view_->storage; }
  bool is_contiguous() const { return view_->is_contiguous; }
  ScalarType scalar_type() const { return view_->type; }
  TypeMeta dtype() const { return view_->type; }
  std::size_t itemsize() const { return dtype().itemsize(); }
  std::int64_t element_size() const { return static_cast<std::int64_t>(dtype().itemsize()); }
  Device device() const { return kCPU; }
  bool is_cpu() const { return true; }
  bool is_cuda() const { return false; }
  TensorOptions options() const { return scalar_type(); }

  void* mutable_data_ptr() const;
  const void* const_data_ptr() const { return mutable_data_ptr(); }
  template <typename T>
  T* mutable_data_ptr() const {
    return static_cast<T*>(checked_data(scalar_type_of<T>));
  }
  template <typename T>
  const T* const_data_ptr() const {
    return mutable_data_ptr<T>();
  }
  template <typename T>
  T* data_ptr() const {
    return mutable_data_ptr<T>();
  }
  /// Returns the only element.
  template <typename T>
  T item() const {
    return with_type(scalar_type(), [&](auto element) { return static_cast<T>(*only<decltype(element)>()); });
  }

  // Views.
  Tensor as_strided(IntArrayRef sizes, IntArrayRef strides, std::optional<std::int64_t> offset = {}) const;
  Tensor select(std::int64_t dimension, std::int64_t index) const;
  Tensor operator[](std::int64_t index) const { return select(0, index); }
  Tensor slice(std::int64_t dimension, std::optional<std::int64_t> start = {}, std::optional<std::int64_t> end = {},
               std::int64_t step = 1) const;
  Tensor narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const;
  /// One size may be -1: it becomes what the others leave.
  Tensor view(IntArrayRef sizes) const;
  Tensor view(ScalarType type) const;
  Tensor reshape(IntArrayRef sizes) const;
  Tensor flatten(std::int64_t first = 0, std::int64_t last = -1) const;
  Tensor t() const { return transpose(0, -1); }
  Tensor transpose(std::int64_t first, std::int64_t second) const;
  /// Repeats dimensions of size 1, and new ones in front; a size of -1 stays.
  Tensor expand(IntArrayRef sizes) const;
  Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
  Tensor unsqueeze(std::int64_t dimension) const;
  Tensor& unsqueeze_(std::int64_t dimension);
  Tensor squeeze(std::int64_t dimension) const;
  /// Elements [i, i + offset] of a matrix.
  Tensor diagonal(std::int64_t offset = 0) const;

  // Copies.
  Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const { return is_contiguous() ? *this : clone(); }
  Tensor clone(MemoryFormat = MemoryFormat::Contiguous) const;
  Tensor cpu() const { return *this; }
  Tensor to(ScalarType type, bool non_blocking = false, bool copy = false) const;
  Tensor to(Device device, ScalarType type, bool non_blocking = false, bool copy = false) const;
  Tensor to(Device device, bool non_blocking = false, bool copy = false) const {
    return to(device, scalar_type(), non_blocking, copy);
  }
  Tensor to(DeviceType device) const { return to(Device(device)); }
  Tensor to(const TensorOptions& options) const { return to(options.device(), options.type()); }
  const Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
  const Tensor& fill_(Scalar value) const;
  const Tensor& zero_() const { return fill_(0); }
  const Tensor& uniform_(double from, double to, Generator& generator) const;

  // Elements by themselves. Functions whose name ends in _ change this tensor.
  Tensor add(const Tensor& other) const;
  Tensor add(Scalar other) const;
  Tensor sub(const Tensor& other) const;
  Tensor sub(Scalar other) const;
  Tensor mul(const Tensor& other) const;
  Tensor mul(Scalar other) const;
  Tensor div(const Tensor& other) const;
  Tensor div(Scalar other) const;
  const Tensor& add_(const Tensor& other, Scalar factor = 1) const;
  const Tensor& add_(Scalar other) const;
  const Tensor& sub_(const Tensor& other, Scalar factor = 1) const;
  const Tensor& sub_(Scalar other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& mul_(Scalar other) const;
  const Tensor& div_(const Tensor& other) const;
  const Tensor& div_(Scalar other) const;
  const Tensor& operator+=(const Tensor& other) const { return add_(other); }
  Tensor neg() const;
  Tensor abs() const;
  Tensor exp() const;
  Tensor log() const;
  Tensor sqrt() const;
  Tensor square() const;
  Tensor tanh() const;
  Tensor relu() const;
  Tensor sign() const;
  Tensor reciprocal() const;
  Tensor isfinite() const;
  Tensor clamp_min(Scalar least) const;
  const Tensor& neg_() const;
  const Tensor& exp_() const;
  const Tensor& log_() const;
  const Tensor& sqrt_() const;
  const Tensor& tanh_() const;
  const Tensor& reciprocal_() const;
  const Tensor& clamp_min_(Scalar least) const;
  /// Values that are not finite become these; without, NaN is 0 and infinities the largest numbers.
  const Tensor& nan_to_num_(std::optional<double> nan = {}, std::optional<double> positive = {},
                            std::optional<double> negative = {}) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  const Tensor& masked_fill_(const Tensor& mask, Scalar value) const;
  Tensor eq(const Tensor& other) const;
  Tensor eq(Scalar other) const;
  Tensor ne(const Tensor& other) const;
  Tensor ne(Scalar other) const;
  Tensor gt(Scalar other) const;
  Tensor logical_and(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  const Tensor& logical_and_(const Tensor& other) const;
  Tensor logical_not() const { return eq(0); }
  const Tensor& logical_not_() const;

  // Over dimensions.
  Tensor sum() const { return sum(IntArrayRef{}); }
  Tensor sum(ScalarType type) const { return sum(IntArrayRef{}, false, type); }
  Tensor sum(IntArrayRef dimensions, bool keep = false, std::optional<ScalarType> type = {}) const;
  Tensor mean() const { return mean(IntArrayRef{}); }
  Tensor mean(ScalarType type) const { return mean(IntArrayRef{}, false, type); }
  Tensor mean(IntArrayRef dimensions, bool keep = false, std::optional<ScalarType> type = {}) const;
  Tensor var(std::int64_t dimension, bool unbiased = true, bool keep = false) const;
  Tensor max() const;
  Tensor amax(IntArrayRef dimensions, bool keep = false) const;
  Tensor argmax(std::optional<std::int64_t> dimension = {}, bool keep = false) const;
  Tensor all(std::int64_t dimension, bool keep = false) const;
  Tensor log_softmax(std::int64_t dimension) const;

  // Rows and places.
  Tensor index_select(std::int64_t dimension, const Tensor& index) const;
  const Tensor& index_copy_(std::int64_t dimension, const Tensor& index, const Tensor& source) const;
  const Tensor& index_add_(std::int64_t dimension, const Tensor& index, const Tensor& source) const;
  Tensor gather(std::int64_t dimension, const Tensor& index) const;
  const Tensor& scatter_add_(std::int64_t dimension, const Tensor& index, const Tensor& source) const;
  Tensor nonzero() const;

  // Products of matrices and vectors.
  Tensor mm(const Tensor& other) const;
  Tensor matmul(const Tensor& other) const;
  Tensor dot(const Tensor& other) const;
  const Tensor& addmm_(const Tensor& left, const Tensor& right, Scalar beta = 1, Scalar alpha = 1) const;

 private:
  struct View {
    std::shared_ptr<Storage> storage;
    ScalarType type;
    Sizes sizes, strides;
    std::int64_t offset, numel;
    bool is_contiguous;
  };

  std::size_t place_of(std::int64_t dimension) const;
  void* checked_data(ScalarType type) const;
  template <typename T>
  const T* only() const {
    if (numel() != 1) throw Error("item: a tensor of more or fewer elements than one");
    return const_data_ptr<T>();
  }

  std::shared_ptr<View> view_;
};

}  // namespace at

#include "model/tensor/functions.hpp"
