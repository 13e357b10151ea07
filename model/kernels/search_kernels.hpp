#pragma once

#include <cstdint>

#include "model/kernels/instruction_set.hpp"
#include "model/similarities/list.hpp"

namespace gausscse::kernels {

/// Place of a row in sim(p || q).
enum class PairSide { p, q };

/// Rows of `width` floats next to each other: [mean | log_var] or plain vectors.
struct EmbeddedRows {
  const float* rows;
  std::int64_t count;
  std::int64_t width;
};

/// Rows as factors of an inner product, see ProductTerms, and numbers of each row.
struct ProductFactors {
  float* factors;     ///< [count, width], or [count, dimension * products of the similarity]
  float* rests;       ///< the sum of `rest` over dimensions
  float* magnitudes;  ///< the sum of `magnitude`
  float* norms;       ///< the Euclidean norm of the factors
};

/// Returns whether a scan by this similarity of Gaussians computes in float: it states the error then. In double, the
/// error of a similarity is less than 1e-7 where log-variances are at most 80.
constexpr bool scans_in_float(Similarity similarity) {
  return with_similarity<HostMath>(similarity, [](auto of) { return BoundedInFloat<decltype(of)>; });
}

/// Rows packed for a scan: mean, spread, inverse and log-variance, each in a vector of 64 bytes, for as many dimensions
/// at a time; rows are padded to a multiple of four. `scan_floats` is their size in floats.
struct PackedSide {
  const float* rows;
  std::int64_t count;
};
constexpr std::int64_t scan_floats(std::int64_t count, std::int64_t dimension, Similarity similarity) {
  const std::int64_t width = scans_in_float(similarity) ? 16 : 8;
  return (count + 3) / 4 * 4 * ((dimension + width - 1) / width) * 64;
}

/// Values of pairs: that of p_i and q_j is values[i * stride_p + j * stride_q].
struct ScanValues {
  float* values;
  std::int64_t stride_p, stride_q;
};

/// Lower bounds of distances d[r] between one query and `count` rows:
///   value[r] + offset[r] + query_offset - query_error * error[r] <= d[r].
struct BoundTerms {
  const float *offsets, *errors;
  float query_offset, query_error;
};

/// Kernels that a search spends its time in, each on one thread. Their float32 results only bound similarities, which
/// are then computed in float64.
struct SearchKernels {
  /// Returns whether all values are numbers between -limit and limit.
  bool (*all_within)(const float* values, std::int64_t count, float limit);

  /// Computes the factors of Gaussians, whose means are taken relative to `center`, for a similarity that is an inner
  /// product. For cosine it computes those of plain vectors, whose `rests` and `magnitudes` are not written: the
  /// vectors at length 1, for q times -1.
  void (*product_factors)(const EmbeddedRows& rows, const float* center, Similarity similarity, PairSide side,
                          const ProductFactors& out);

  /// Packs Gaussians into `packed`; mean_log_vars[r] is the mean absolute log-variance of row r.
  void (*pack_gaussians)(const EmbeddedRows& rows, Similarity similarity, float* packed, float* mean_log_vars);
  /// Computes -sim(p_i || q_j) of all pairs. In float, a reciprocal has a relative error of up to `reciprocal_error`.
  void (*scan)(const PackedSide& p, const PackedSide& q, std::int64_t dimension, Similarity similarity,
               const ScanValues& out);
  float reciprocal_error;

  /// Computes the bounds of `values`, or the larger ones of these and `bounds`, if `raise`. `values` and `bounds` may
  /// be the same. NaN bounds nothing.
  void (*lower_bounds)(const float* values, std::int64_t count, const BoundTerms& terms, bool raise, float* bounds);
  /// Writes the numbers of the rows whose bounds are not above `threshold`, and returns how many they are.
  std::int64_t (*rows_within)(const float* bounds, std::int64_t count, float threshold, std::int32_t* rows);
};

inline const SearchKernels& search_kernels() {
  return table_of_instruction_set<SearchKernels>();
}

}  // namespace gausscse::kernels
