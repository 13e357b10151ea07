#include "evaluation/transfer/stratified_folds.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "evaluation/transfer/numpy_random.hpp"

namespace gausscse {

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
