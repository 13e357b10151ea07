#include "evaluation/transfer/numpy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/error.hpp"

namespace gausscse {

namespace {

double sum_as_numpy(std::span<const double> values) {
  double sum = 0;
  std::size_t i = 0;
  if (values.size() >= 8) {
    std::array<double, 8> sums{};
    for (; i + 8 <= values.size(); i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += values[i + lane];
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

}  // namespace

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

double round_as_python(double x) {
  std::array<char, 400> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, 2).ptr;
  double rounded = 0;
  std::from_chars(text.data(), end, rounded);
  return rounded;
}

double round_as_numpy(double x) {
  return std::nearbyint(x * 100) / 100;
}

double mean_as_numpy(std::span<const double> values) {
  GAUSSCSE_CHECK(!values.empty() && values.size() < 128, values.size(), " values are summed another way");
  return sum_as_numpy(values) / static_cast<double>(values.size());
}

std::vector<std::int32_t> stratified_folds(std::span<const std::uint32_t> labels, std::int32_t folds,
                                           std::uint32_t seed) {
  std::vector<std::uint32_t> classes;  // in the order of their first examples
  for (const std::uint32_t label : labels)
    if (std::find(classes.begin(), classes.end(), label) == classes.end()) classes.push_back(label);
  NumpyRandom random(seed);
  std::vector<std::int32_t> fold_of_example(labels.size());
  std::int64_t before = 0;  // examples of earlier classes: folds are dealt out in turn over all classes
  for (const std::uint32_t label : classes) {
    const std::int64_t count = std::count(labels.begin(), labels.end(), label);
    std::vector<std::int32_t> folds_of_class;
    for (std::int32_t fold = 0; fold < folds; ++fold) {
      const auto dealt_to = [&](std::int64_t examples) { return (examples + folds - 1 - fold) / folds; };
      folds_of_class.insert(folds_of_class.end(), static_cast<std::size_t>(dealt_to(before + count) - dealt_to(before)),
                            fold);
    }
    random.shuffle(folds_of_class);
    auto next = folds_of_class.begin();
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == label) fold_of_example[i] = *next++;
    before += count;
  }
  return fold_of_example;
}

FoldRows rows_of_fold(std::span<const std::int32_t> fold_of_example, std::int32_t fold) {
  FoldRows rows;
  for (std::size_t i = 0; i < fold_of_example.size(); ++i)
    (fold_of_example[i] == fold ? rows.fold : rows.others).push_back(static_cast<std::int32_t>(i));
  return rows;
}

void check_folds(std::span<const std::uint32_t> labels, const std::vector<std::string>& classes, std::int32_t folds,
                 bool nested, const std::string& what) {
  for (std::uint32_t label = 0; label < classes.size(); ++label) {
    const std::int64_t count = std::count(labels.begin(), labels.end(), label);
    const std::int64_t outside = count - (count + folds - 1) / folds;
    if (count >= folds && (!nested || outside >= folds)) continue;
    throw InputError(concat(what, ": ", count, " examples are of the class ", quoted(classes[label]),
                            ", too few for each of ", folds, " folds", nested ? " of the others of each fold" : "",
                            " to have one: give more, or set mode: fast, which takes 5 folds"));
  }
}

}  // namespace gausscse
