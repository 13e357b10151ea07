#include <cstring>

#include "model/tensor/walk.hpp"

namespace at {

namespace {

/// Returns the numbers of an index, which are below `limit`.
const std::int64_t* checked_index(const Tensor& index, std::int64_t limit) {
  require(index.scalar_type() == kLong && index.is_contiguous(), "an index is of int64, without gaps");
  const auto* numbers = index.const_data_ptr<std::int64_t>();
  require(std::all_of(numbers, numbers + index.numel(), [&](std::int64_t i) { return i >= 0 && i < limit; }),
          "an index past the end of the dimension");
  return numbers;
}

}  // namespace

const Tensor& index_select_out(const Tensor& out, const Tensor& self, std::int64_t dimension, const Tensor& index) {
  const auto* numbers = checked_index(index, self.size(dimension));
  require(out.size(dimension) == index.numel() && out.scalar_type() == self.scalar_type(),
          "index_select: a result of other sizes or type");
  // Rows without gaps, the usual case, are copied as memory.
  if (dimension == 0 && out.is_contiguous() && self.is_contiguous() && self.size(0) > 0) {
    const std::size_t width = self.nbytes() / static_cast<std::size_t>(self.size(0));
    const auto* from = static_cast<const char*>(self.const_data_ptr());
    auto* to = static_cast<char*>(out.mutable_data_ptr());
#pragma omp parallel for schedule(static) if (out.numel() > many_elements)
    for (std::int64_t i = 0; i < index.numel(); ++i)
      std::memcpy(to + static_cast<std::size_t>(i) * width, from + static_cast<std::size_t>(numbers[i]) * width, width);
    return out;
  }
  for (std::int64_t i = 0; i < index.numel(); ++i) out.select(dimension, i).copy_(self.select(dimension, numbers[i]));
  return out;
}

Tensor Tensor::index_select(std::int64_t dimension, const Tensor& index) const {
  Sizes sizes = view_->sizes;
  sizes[place_of(dimension)] = index.numel();
  Tensor made = empty(sizes, options());
  at::index_select_out(made, *this, dimension, index);
  return made;
}

const Tensor& Tensor::index_copy_(std::int64_t dimension, const Tensor& index, const Tensor& source) const {
  const auto* numbers = checked_index(index, size(dimension));
  require(source.size(dimension) == index.numel(), "index_copy_: as many rows as indices");
  for (std::int64_t i = 0; i < index.numel(); ++i) select(dimension, numbers[i]).copy_(source.select(dimension, i));
  return *this;
}

const Tensor& Tensor::index_add_(std::int64_t dimension, const Tensor& index, const Tensor& source) const {
  const auto* numbers = checked_index(index, size(dimension));
  require(source.size(dimension) == index.numel(), "index_add_: as many rows as indices");
  for (std::int64_t i = 0; i < index.numel(); ++i) select(dimension, numbers[i]).add_(source.select(dimension, i));
  return *this;
}

namespace {

/// Calls function(place in `table`, place in `entries`) for each element of `index`, which replaces its coordinate of
/// the dimension in the table. `entries` is of the index's sizes; places are in elements.
template <typename Function>
void for_each_entry(const Tensor& table, std::int64_t dimension, const Tensor& index, const Tensor& entries,
                    const Function& function) {
  const auto axis = static_cast<std::size_t>(dimension < 0 ? dimension + table.dim() : dimension);
  const Tensor by_rows = index.contiguous();
  const auto* numbers = checked_index(by_rows, table.size(dimension));
  require(index.dim() == table.dim() && entries.dim() == table.dim(), "an index of other dimensions");
  for (std::int64_t i = 0; i < index.numel(); ++i) {
    std::int64_t in_table = 0, in_entries = 0, rest = i;
    for (std::size_t d = index.sizes().size(); d-- > 0; rest /= index.sizes()[d]) {
      const std::int64_t coordinate = rest % index.sizes()[d];
      require(d == axis || coordinate < table.sizes()[d], "an index of larger sizes");
      in_table += (d == axis ? numbers[i] : coordinate) * table.strides()[d];
      in_entries += coordinate * entries.strides()[d];
    }
    function(in_table, in_entries);
  }
}

}  // namespace

Tensor Tensor::gather(std::int64_t dimension, const Tensor& index) const {
  Tensor made = empty(index.sizes(), options());
  with_type(scalar_type(), [&](auto element) {
    using T = decltype(element);
    const T* const from = const_data_ptr<T>();
    T* const to = made.mutable_data_ptr<T>();
    for_each_entry(*this, dimension, index, made,
                   [&](std::int64_t place, std::int64_t entry) { to[entry] = from[place]; });
  });
  return made;
}

const Tensor& Tensor::scatter_add_(std::int64_t dimension, const Tensor& index, const Tensor& source) const {
  with_type(scalar_type(), [&](auto element) {
    using T = decltype(element);
    const T* const from = source.const_data_ptr<T>();
    T* const to = mutable_data_ptr<T>();
    for_each_entry(*this, dimension, index, source, [&](std::int64_t place, std::int64_t entry) {
      to[place] = static_cast<T>(to[place] + from[entry]);
    });
  });
  return *this;
}

Tensor Tensor::nonzero() const {
  require(dim() > 0, "nonzero: a tensor without dimensions");
  const Tensor is_set = ne(0);
  const auto* set = is_set.const_data_ptr<bool>();
  Sizes coordinates;
  for (std::int64_t i = 0; i < numel(); ++i) {
    if (!set[i]) continue;
    const std::size_t begin = coordinates.size();
    coordinates.resize(begin + view_->sizes.size());
    std::int64_t rest = i;
    for (std::size_t d = view_->sizes.size(); d-- > 0; rest /= view_->sizes[d])
      coordinates[begin + d] = rest % view_->sizes[d];
  }
  return tensor(coordinates).view({static_cast<std::int64_t>(coordinates.size()) / dim(), dim()});
}

}  // namespace at
