#pragma once

namespace gausscse {

/// Columns of an sts task, a value for each pair, subset after subset. docs/result_files.md describes them.
namespace sts_columns {

inline constexpr const char* cosine = "cosine";
inline constexpr const char* symmetric_similarity = "symmetric_similarity";
inline constexpr const char* gold = "gold";
inline constexpr const char* subset = "subset";  ///< its number, from 0 on, in the order of the task's subsets

}  // namespace sts_columns

}  // namespace gausscse
