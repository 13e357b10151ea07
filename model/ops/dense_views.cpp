#include "model/ops/dense_views.hpp"

#include <algorithm>

#include "model/ops/dense_tensors.hpp"

namespace gausscse::dense_tensors {

namespace {

at::Tensor view_of(const at::Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset) {
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(self.storage()),
                                                             self.key_set(), self.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return view;
}

}  // namespace

bool is_dense(const at::Tensor& tensor) {
  constexpr c10::DispatchKeySet keys({c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                                      c10::DispatchKey::ADInplaceOrView, c10::DispatchKey::AutocastCPU});
  return tensor.defined() && (tensor.key_set().raw_repr() & ~keys.raw_repr()) == 0 && !tensor.requires_grad();
}

bool has_dimension(const at::Tensor& self, std::int64_t dimension) {
  return dimension >= 0 && dimension < self.dim();
}

at::Tensor part_of(const at::Tensor& self, std::int64_t dimension, std::int64_t begin, std::int64_t end,
                   std::int64_t step) {
  const auto place = static_cast<std::size_t>(dimension);
  Dimensions sizes(self.sizes()), strides(self.strides());
  const std::int64_t offset = self.storage_offset() + begin * strides[place];
  sizes[place] = (end - begin + step - 1) / step;
  strides[place] *= step;
  return view_of(self, sizes, strides, offset);
}

Made narrow(const at::Tensor& self, std::int64_t dimension, const Size& start, const Size& length) {
  const auto begin = start.maybe_as_int(), count = length.maybe_as_int();
  if (!is_dense(self) || !has_dimension(self, dimension) || !begin || !count || *begin < 0 || *count < 0 ||
      *begin > self.size(dimension) || *count > self.size(dimension) - *begin)
    return std::nullopt;
  return part_of(self, dimension, *begin, *begin + *count);
}

Made select(const at::Tensor& self, std::int64_t dimension, const Size& index) {
  const auto place = index.maybe_as_int();
  if (!is_dense(self) || !has_dimension(self, dimension) || !place || *place < 0 || *place >= self.size(dimension))
    return std::nullopt;
  Dimensions sizes(self.sizes()), strides(self.strides());
  const std::int64_t offset = self.storage_offset() + *place * self.stride(dimension);
  sizes.erase(sizes.begin() + dimension);
  strides.erase(strides.begin() + dimension);
  return view_of(self, sizes, strides, offset);
}

Made slice(const at::Tensor& self, std::int64_t dimension, const std::optional<Size>& start,
           const std::optional<Size>& end, const Size& step) {
  const auto distance = step.maybe_as_int();
  if (!is_dense(self) || !has_dimension(self, dimension) || !distance || *distance < 1) return std::nullopt;
  const std::int64_t size = self.size(dimension);
  // Negative indices count from the end.
  const auto in_range = [&](const std::optional<Size>& given, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (!given) return otherwise;
    const auto index = given->maybe_as_int();
    if (!index) return std::nullopt;
    return std::clamp(*index < 0 ? *index + size : *index, std::int64_t{0}, size);
  };
  const auto first = in_range(start, 0), last = in_range(end, size);
  if (!first || !last) return std::nullopt;
  return part_of(self, dimension, *first, std::max(*first, *last), *distance);
}

Made view(const at::Tensor& self, Sizes sizes) {
  const auto plain = c10::asIntArrayRefSlowOpt(sizes);
  if (!plain || !is_dense(self) || !self.is_contiguous()) return std::nullopt;
  Dimensions wanted(*plain);
  // One size may be -1: it becomes the number that the others leave.
  const auto open = std::find(wanted.begin(), wanted.end(), -1);
  std::int64_t others = 1;
  for (auto size = wanted.begin(); size != wanted.end(); ++size)
    if (size != open && (*size < 0 || __builtin_mul_overflow(others, *size, &others))) return std::nullopt;
  if (open != wanted.end()) {
    if (others == 0) return std::nullopt;
    *open = self.numel() / others;
    others *= *open;
  }
  if (others != self.numel()) return std::nullopt;
  Dimensions strides(wanted.size());
  std::int64_t stride = 1;
  for (std::size_t i = wanted.size(); i-- > 0; stride *= std::max<std::int64_t>(1, wanted[i])) strides[i] = stride;
  return view_of(self, wanted, strides, self.storage_offset());
}

Made as_strided(const at::Tensor& self, Sizes sizes, Sizes strides, const std::optional<Size>& offset) {
  const auto plain_sizes = c10::asIntArrayRefSlowOpt(sizes), plain_strides = c10::asIntArrayRefSlowOpt(strides);
  const auto begin = offset ? offset->maybe_as_int() : std::optional(std::int64_t{0});
  if (!is_dense(self) || !plain_sizes || !plain_strides || !offset || !begin || *begin < 0 ||
      plain_sizes->size() != plain_strides->size())
    return std::nullopt;
  std::int64_t last = *begin;
  for (std::size_t i = 0; i < plain_sizes->size(); ++i) {
    const std::int64_t size = (*plain_sizes)[i], stride = (*plain_strides)[i];
    std::int64_t reach;
    if (size < 1 || stride < 0 || __builtin_mul_overflow(size - 1, stride, &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  if (last >= static_cast<std::int64_t>(self.storage().nbytes() / self.dtype().itemsize())) return std::nullopt;
  return view_of(self, *plain_sizes, *plain_strides, *begin);
}

Made t(const at::Tensor& self) {
  if (!is_dense(self) || self.dim() != 2) return std::nullopt;
  return view_of(self, {self.size(1), self.size(0)}, {self.stride(1), self.stride(0)}, self.storage_offset());
}

Made expand_as(const at::Tensor& self, const at::Tensor& other) {
  if (!is_dense(self) || !is_dense(other) || self.dim() > other.dim()) return std::nullopt;
  Dimensions strides(static_cast<std::size_t>(other.dim()), 0);
  const std::int64_t more = other.dim() - self.dim();
  for (std::int64_t i = 0; i < self.dim(); ++i) {
    if (self.size(i) == other.size(more + i))
      strides[static_cast<std::size_t>(more + i)] = self.stride(i);
    else if (self.size(i) != 1)
      return std::nullopt;
  }
  return view_of(self, other.sizes(), strides, self.storage_offset());
}

}  // namespace gausscse::dense_tensors
