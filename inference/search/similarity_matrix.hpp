#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "dist/communicator.hpp"
#include "inference/search/rows_file.hpp"

namespace gausscse {

/// Returns sim(a_i || b_j) as element [i, j] of a float32 matrix [rows of a, rows of b]: `row_similarity`, rounded.
/// Rows of Gaussians are [mean | log_var]. All are float32 on the CPU. The bits do not depend on the number of threads.
/// Throws InputError for rows that `check_embeddings` refuses, which the message calls "row". `watch` is called now and
/// then, on the thread that called; what it throws ends the computation.
///
///     const at::Tensor forward = similarity_matrix(hypotheses, premises, Similarity::joint, threads);
///     // forward[i][j]: sim(hypothesis i || premise j), large where premise j entails hypothesis i
at::Tensor similarity_matrix(const at::Tensor& a, const at::Tensor& b, Similarity similarity, std::size_t threads,
                             const std::function<void()>& watch = {});

/// Returns the matrix in float64, not rounded.
at::Tensor exact_similarity_matrix(const at::Tensor& a, const at::Tensor& b, Similarity similarity,
                                   std::size_t threads);

/// Part of a matrix of similarities: its first row and column, and its values [rows, columns].
struct MatrixTile {
  std::uint64_t row = 0, column = 0;
  at::Tensor values;
};

/// Computes the matrix of all rows of `a` (rows) and of `b` (columns) by all ranks, and gives it tile by tile to `take`
/// on rank 0, each element once. Of files of embeddings memory holds only tiles; of a text `b` each rank keeps its part
/// of the embeddings. `on_rows` is called on every rank as rows are finished. Throws as `similarity_matrix` on all
/// ranks. Returns notes on sentences of both files. Collective.
Notes compute_similarity_matrix(RowsFile& a, RowsFile& b, SentenceModel& model, Communicator& communicator,
                                std::size_t threads, const std::function<void(std::uint64_t rows_done)>& on_rows,
                                const std::function<void(const MatrixTile&)>& take);

}  // namespace gausscse
