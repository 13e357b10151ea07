#include "dist/broadcast_numbers.hpp"

namespace gausscse {

void broadcast_numbers(std::vector<double>& numbers, ControlGroup& ranks) {
  auto size = static_cast<double>(numbers.size());
  ranks.broadcast_numbers({&size, 1});
  numbers.resize(static_cast<std::size_t>(size));
  if (!numbers.empty()) ranks.broadcast_numbers(numbers);
}

}  // namespace gausscse
