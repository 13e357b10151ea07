#include <cstdlib>

#include "model/tensor/walk.hpp"

namespace at {

Tensor::Tensor(std::shared_ptr<Storage> storage, ScalarType type, Sizes sizes, Sizes strides, std::int64_t offset)
    : view_(std::make_shared<View>()) {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) numel *= size;
  bool by_rows = true;
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    by_rows = by_rows && (sizes[i] == 1 || strides[i] == stride);
  *view_ = {std::move(storage), type, std::move(sizes), std::move(strides), offset, numel, by_rows || numel == 0};
}

std::size_t Tensor::place_of(std::int64_t dimension) const {
  const std::int64_t place = dimension < 0 ? dimension + dim() : dimension;
  require(place >= 0 && place < dim(), "a dimension that the tensor does not have");
  return static_cast<std::size_t>(place);
}

void* Tensor::mutable_data_ptr() const {
  return static_cast<char*>(view_->storage->data_ptr()) + view_->offset * element_size();
}

void* Tensor::checked_data(ScalarType type) const {
  require(scalar_type() == type, "elements of another type than the tensor's");
  return mutable_data_ptr();
}

Tensor Tensor::as_strided(IntArrayRef sizes, IntArrayRef strides, std::optional<std::int64_t> offset) const {
  require(sizes.size() == strides.size(), "as_strided: as many strides as sizes");
  const std::int64_t begin = offset.value_or(view_->offset);
  std::int64_t last = begin;
  bool is_empty = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require(sizes[i] >= 0 && strides[i] >= 0, "as_strided: a size or stride below 0");
    is_empty = is_empty || sizes[i] == 0;
    last += (sizes[i] - 1) * strides[i];
  }
  require(begin >= 0 && (is_empty || last < static_cast<std::int64_t>(view_->storage->nbytes()) / element_size()),
          "as_strided: past the end of the storage");
  return Tensor(view_->storage, view_->type, sizes.vec(), strides.vec(), begin);
}

Tensor Tensor::slice(std::int64_t dimension, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                     std::int64_t step) const {
  const std::size_t place = place_of(dimension);
  require(step >= 1, "slice: a step below 1");
  Sizes sizes = view_->sizes, strides = view_->strides;
  const auto in_range = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + sizes[place] : index, std::int64_t{0}, sizes[place]);
  };
  const std::int64_t first = in_range(start.value_or(0)), last = in_range(end.value_or(sizes[place]));
  const std::int64_t offset = view_->offset + first * strides[place];
  sizes[place] = (std::max(first, last) - first + step - 1) / step;
  strides[place] *= step;
  return Tensor(view_->storage, view_->type, std::move(sizes), std::move(strides), offset);
}

Tensor Tensor::narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const {
  require(start >= 0 && length >= 0 && start <= size(dimension) && length <= size(dimension) - start,
          "narrow: a part past the end of the dimension");
  return slice(dimension, start, start + length);
}

Tensor Tensor::select(std::int64_t dimension, std::int64_t index) const {
  const std::size_t place = place_of(dimension);
  const std::int64_t from_front = index < 0 ? index + size(dimension) : index;
  require(from_front >= 0 && from_front < size(dimension), "select: an index past the end of the dimension");
  Sizes sizes = view_->sizes, strides = view_->strides;
  const std::int64_t offset = view_->offset + from_front * strides[place];
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(place));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(place));
  return Tensor(view_->storage, view_->type, std::move(sizes), std::move(strides), offset);
}

Tensor Tensor::view(IntArrayRef sizes) const {
  Sizes wanted = sizes.vec();
  std::int64_t others = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& size : wanted) {
    if (size == -1 && !open)
      open = &size;
    else
      others *= size;
  }
  if (open) {
    require(others > 0, "view: -1 beside sizes of 0");
    *open = numel() / others;
    others *= *open;
  }
  require(others == numel(), "view: other sizes do not have as many elements");
  // A tensor whose elements have no gaps can be seen in any sizes; else only dimensions of size 1 come or go.
  Sizes strides(wanted.size());
  if (is_contiguous()) {
    std::int64_t stride = 1;
    for (std::size_t i = wanted.size(); i-- > 0; stride *= std::max<std::int64_t>(1, wanted[i])) strides[i] = stride;
    return Tensor(view_->storage, view_->type, std::move(wanted), std::move(strides), view_->offset);
  }
  std::size_t from = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    while (from < view_->sizes.size() && view_->sizes[from] == 1 && wanted[i] != 1) ++from;
    if (wanted[i] == 1) {
      strides[i] = 1;
      continue;
    }
    require(from < view_->sizes.size() && view_->sizes[from] == wanted[i],
            "view: the elements have gaps: reshape them");
    strides[i] = view_->strides[from++];
  }
  return Tensor(view_->storage, view_->type, std::move(wanted), std::move(strides), view_->offset);
}

Tensor Tensor::view(ScalarType type) const {
  const auto bytes = static_cast<std::int64_t>(at::element_size(type));
  if (bytes == element_size()) return Tensor(view_->storage, type, view_->sizes, view_->strides, view_->offset);
  require(is_contiguous() && dim() > 0, "view: elements with gaps as another type");
  Sizes sizes = view_->sizes;
  require(sizes.back() * element_size() % bytes == 0 && view_->offset * element_size() % bytes == 0,
          "view: no whole number of elements of the other type");
  const std::int64_t offset = view_->offset * element_size() / bytes;
  sizes.back() = sizes.back() * element_size() / bytes;
  Sizes strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= std::max<std::int64_t>(1, sizes[i])) strides[i] = stride;
  return Tensor(view_->storage, type, std::move(sizes), std::move(strides), offset);
}

Tensor Tensor::reshape(IntArrayRef sizes) const {
  return contiguous().view(sizes);
}

Tensor Tensor::flatten(std::int64_t first, std::int64_t last) const {
  if (dim() == 0) return view({1});
  const std::size_t begin = place_of(first), end = place_of(last);
  Sizes sizes(view_->sizes.begin(), view_->sizes.begin() + static_cast<std::ptrdiff_t>(begin));
  std::int64_t joined = 1;
  for (std::size_t i = begin; i <= end; ++i) joined *= view_->sizes[i];
  sizes.push_back(joined);
  sizes.insert(sizes.end(), view_->sizes.begin() + static_cast<std::ptrdiff_t>(end) + 1, view_->sizes.end());
  return reshape(sizes);
}

Tensor Tensor::transpose(std::int64_t first, std::int64_t second) const {
  if (dim() < 2) return *this;
  Sizes sizes = view_->sizes, strides = view_->strides;
  std::swap(sizes[place_of(first)], sizes[place_of(second)]);
  std::swap(strides[place_of(first)], strides[place_of(second)]);
  return Tensor(view_->storage, view_->type, std::move(sizes), std::move(strides), view_->offset);
}

Tensor Tensor::expand(IntArrayRef sizes) const {
  require(static_cast<std::int64_t>(sizes.size()) >= dim(), "expand: fewer dimensions than the tensor's");
  const std::size_t added = sizes.size() - view_->sizes.size();
  Sizes wanted = sizes.vec(), strides(sizes.size(), 0);
  for (std::size_t i = added; i < sizes.size(); ++i) {
    const std::int64_t own = view_->sizes[i - added];
    if (wanted[i] == -1) wanted[i] = own;
    require(own == wanted[i] || own == 1, "expand: only dimensions of size 1 are repeated");
    if (own == wanted[i]) strides[i] = view_->strides[i - added];
  }
  return Tensor(view_->storage, view_->type, std::move(wanted), std::move(strides), view_->offset);
}

Tensor Tensor::unsqueeze(std::int64_t dimension) const {
  const std::int64_t place = dimension < 0 ? dimension + dim() + 1 : dimension;
  require(place >= 0 && place <= dim(), "unsqueeze: a place past the tensor's dimensions");
  Sizes sizes = view_->sizes, strides = view_->strides;
  strides.insert(strides.begin() + place,
                 place < dim() ? sizes[static_cast<std::size_t>(place)] * strides[static_cast<std::size_t>(place)] : 1);
  sizes.insert(sizes.begin() + place, 1);
  return Tensor(view_->storage, view_->type, std::move(sizes), std::move(strides), view_->offset);
}

Tensor& Tensor::unsqueeze_(std::int64_t dimension) {
  *view_ = *unsqueeze(dimension).view_;
  return *this;
}

Tensor Tensor::squeeze(std::int64_t dimension) const {
  return size(dimension) == 1 ? select(dimension, 0) : *this;
}

Tensor Tensor::diagonal(std::int64_t offset) const {
  require(dim() == 2, "diagonal: a matrix");
  const std::int64_t row = std::max<std::int64_t>(0, -offset), column = std::max<std::int64_t>(0, offset);
  const std::int64_t length = std::max<std::int64_t>(0, std::min(size(0) - row, size(1) - column));
  return Tensor(view_->storage, view_->type, {length}, {stride(0) + stride(1)},
                view_->offset + (length > 0 ? row * stride(0) + column * stride(1) : 0));
}

}  // namespace at
