#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
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

// Rounding to two decimals and means, to the bit as SentEval has them: some of its metrics are Python's floats, others
// numpy's, which differ where a metric lies in the middle.

/// Rounds as Python's round(x, 2): to the nearest, of the number that a double is.
double round_as_python(double x);

/// Rounds as numpy's round(x, 2): 100 x to the nearest whole number, the even one in the middle, over 100.
double round_as_numpy(double x);

/// Returns np.mean of 1 to 127 values: sums of every eighth value, joined in pairs.
double mean_as_numpy(std::span<const double> values);

/// Returns the fold in which each example is tested, as scikit-learn's StratifiedKFold(folds, shuffle=True,
/// random_state=seed) draws it. Classes are spread over folds as evenly as can be, and each class' examples get theirs
/// by a shuffle.
std::vector<std::int32_t> stratified_folds(std::span<const std::uint32_t> labels, std::int32_t folds,
                                           std::uint32_t seed);

/// Row numbers of the examples of a fold, and those of all others, rising.
struct FoldRows {
  std::vector<std::int32_t> others, fold;
};
FoldRows rows_of_fold(std::span<const std::int32_t> fold_of_example, std::int32_t fold);

/// Throws InputError, beginning with `what`, where a class has fewer examples than there are folds, so that a fold
/// would lack it: scikit-learn warns of it alone. `nested`: nor may those of a class that are outside of a fold be
/// fewer.
void check_folds(std::span<const std::uint32_t> labels, const std::vector<std::string>& classes, std::int32_t folds,
                 bool nested, const std::string& what);

}  // namespace gausscse
