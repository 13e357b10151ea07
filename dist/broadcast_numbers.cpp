#include "dist/broadcast_numbers.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace gausscse {

void broadcast_numbers(std::vector<double>& numbers, Communicator& communicator) {
  const at::Tensor size = at::empty({1}, at::kDouble);
  *size.mutable_data_ptr<double>() = static_cast<double>(numbers.size());
  communicator.broadcast(size, 0);
  numbers.resize(static_cast<std::size_t>(*size.const_data_ptr<double>()));
  if (numbers.empty()) return;
  const at::Tensor values = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kDouble);
  std::copy(numbers.begin(), numbers.end(), values.mutable_data_ptr<double>());
  communicator.broadcast(values, 0);
  std::copy_n(values.const_data_ptr<double>(), numbers.size(), numbers.begin());
}

}  // namespace gausscse
