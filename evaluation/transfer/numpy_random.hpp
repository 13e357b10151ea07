#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gausscse {

/// The draws of numpy's RandomState (and of np.random after np.random.seed), as far as SentEval needs them.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : bits_(seed) {}

  /// Shuffles as RandomState.shuffle: from the last place on, each takes the value of one up to it.
  template <typename Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[up_to(static_cast<std::uint32_t>(i))]);
  }

  /// Returns RandomState.permutation(count): the numbers from 0 on, shuffled.
  std::vector<std::int32_t> permutation(std::size_t count);

 private:
  /// Returns a whole number from 0 to `most`: draws of as many bits as that has, until one is not over it.
  std::uint32_t up_to(std::uint32_t most);

  std::mt19937 bits_;
};

}  // namespace gausscse
