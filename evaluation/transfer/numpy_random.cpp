#include "evaluation/transfer/numpy_random.hpp"

#include <bit>
#include <numeric>

namespace gausscse {

std::uint32_t NumpyRandom::up_to(std::uint32_t most) {
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(most);
  std::uint32_t draw = 0;
  do draw = static_cast<std::uint32_t>(bits_()) & mask;
  while (draw > most);
  return draw;
}

std::vector<std::int32_t> NumpyRandom::permutation(std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  shuffle(numbers);
  return numbers;
}

}  // namespace gausscse
