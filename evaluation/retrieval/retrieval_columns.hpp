#pragma once

namespace gausscse {

/// Columns of a retrieval task, a value for each query. Each metric of a ranking is a further column of its name, whose
/// mean it is. docs/result_files.md describes them.
namespace retrieval_columns {

inline constexpr const char* query = "query";        ///< id, or the text where the file has no ids
inline constexpr const char* relevant = "relevant";  ///< number of its relevant documents

}  // namespace retrieval_columns

}  // namespace gausscse
