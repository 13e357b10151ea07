#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gausscse {

/// Returns the fold that each example is tested in, as scikit-learn's StratifiedKFold(folds, shuffle=True,
/// random_state=seed) draws it: classes are spread over folds as evenly as can be, and each class' examples get theirs
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
