#pragma once

#include "model/kernels/cuda/contrastive/pack.cuh"
#include "model/kernels/cuda/fours.cuh"

namespace gausscse::kernels::cuda {

// The gradient by differences, of both sides at once: most of a pair's numbers serve both. A lane has one dimension. A
// thread keeps some anchors and their sums, a block those of its warps, and takes some candidates after another:
//
//              warp 0       ...       warp 7
//              8 anchors              8 anchors      sums stay with the thread, over all candidates of the part
//   candidate  o o o o      ...       o o o o        sums of the warps are added, and then to the gradient
//   candidate  o o o o      ...       o o o o
//
// A block takes one part of the candidates, and all anchors. So no other block adds to the same candidates, and anchors
// have a sum for each part, which `anchor_gradient_kernel` adds up.

constexpr int gradient_warps = 8, anchors_of_thread = 8, gradient_anchors = gradient_warps * anchors_of_thread;
constexpr int gradient_candidates = 16, gradient_dimensions = static_cast<int>(warp_size);
constexpr unsigned gradient_threads = gradient_warps * warp_size;
/// Fours of weights of a candidate; the next one's are in other banks.
constexpr int weights_pitch = gradient_anchors / 4 + 1;

/// Division of the candidates among blocks: `count` parts of up to `size`.
struct CandidateParts {
  std::int64_t size, count;
};

/// Divides candidates so that there are up to `most_blocks` blocks, in whole tiles.
inline CandidateParts divided_candidates(std::int64_t candidates, int roles, std::int64_t dimension,
                                         std::int64_t most_blocks) {
  const std::int64_t blocks = roles * parts_of(dimension, gradient_dimensions),
                     most_parts = blocks > 0 && blocks < most_blocks ? most_blocks / blocks : 1,
                     tiles = parts_of(parts_of(candidates, gradient_candidates), most_parts),
                     size = gradient_candidates * (tiles > 0 ? tiles : 1);
  return {size, parts_of(candidates, size)};
}

/// Sums of anchors over parts of the candidates, [parts, terms, anchors, 2 * dimension].
template <typename T>
struct AnchorSums {
  T* values;
  CandidateParts parts;

  __device__ T* of(const PackedContrast<T>& contrast, std::int64_t part, int term, std::int64_t anchor) const {
    return values + ((part * contrast.terms + term) * contrast.anchor_count + anchor) * 2 * contrast.dimension;
  }
};

/// Shared memory of a block.
template <typename T>
struct GradientMemory {
  SharedPointer<PackedGaussian<T>> rows;  ///< [candidates, dimensions]
  SharedPointer<Vec4<T>> weights;         ///< [candidates, anchors]
  SharedPointer<T> sums;                  ///< [candidates, warps, mean and log-variance, dimensions]

  __device__ explicit GradientMemory(SharedArrays& shared)
      : rows(shared.take<PackedGaussian<T>>(gradient_candidates * gradient_dimensions)),
        weights(shared.take<Vec4<T>>(gradient_candidates * weights_pitch)),
        sums(shared.take<T>(gradient_candidates * gradient_warps * 2 * gradient_dimensions)) {}
  static constexpr std::size_t bytes() {
    return shared_bytes_of<PackedGaussian<T>>(gradient_candidates * gradient_dimensions) +
           shared_bytes_of<Vec4<T>>(gradient_candidates * weights_pitch) +
           shared_bytes_of<T>(gradient_candidates * gradient_warps * 2 * gradient_dimensions);
  }
};

/// A thread's part in staging candidates of a term, and the weights of their pairs with the block's anchors.
template <typename T>
class StagedCandidates {
 public:
  /// `d` is the thread's dimension; `weights` those of the term.
  __device__ StagedCandidates(const PackedContrast<T>& contrast, int term, int d, int end, const T* weights,
                              const GradientMemory<T>& memory)
      : rows_(one_of(contrast.candidates, one_of(contrast.candidate_role, term)) + d),
        weights_(weights),
        memory_(memory),
        dimension_(static_cast<int>(contrast.dimension)),
        end_(d < dimension_ ? end : 0),
        last_(end),
        anchors_(static_cast<int>(contrast.anchor_count)),
        pitch_(contrast.pairs_of_anchor()) {}

  /// Reads candidates `first` and following ones, next to anchors `first_anchor` and following ones. Behind the last
  /// ones weights are 0.
  __device__ void read(int first, int first_anchor) {
    GAUSSCSE_UNROLL
    for (int k = 0; k < 2; ++k) {
      const int candidate = first + row(k);
      values_[k] = candidate < end_ ? rows_[static_cast<std::int64_t>(candidate) * dimension_] : standard_gaussian<T>();
    }
    const int candidate = first + place(), anchor = first_anchor + 4 * group();
    const T* const weights = weights_ + anchor * pitch_ + candidate;
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) four_.at[i] = candidate < last_ && anchor + i < anchors_ ? weights[i * pitch_] : T{0};
  }
  __device__ void put() const {
    GAUSSCSE_UNROLL
    for (int k = 0; k < 2; ++k) memory_.rows[row(k) * gradient_dimensions + lane()] = values_[k];
    memory_.weights[place() * weights_pitch + group()] = four_;
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / warp_size); }
  /// Returns the two rows of a tile that a thread stages, and whose sums it writes.
  __device__ static int row(int k) { return warp() + k * gradient_warps; }

 private:
  /// Neighbouring threads take weights that lie next to each other.
  __device__ static int place() { return static_cast<int>(threadIdx.x) % gradient_candidates; }
  __device__ static int group() { return static_cast<int>(threadIdx.x) / gradient_candidates; }

  const PackedGaussian<T>* rows_;
  const T* weights_;
  const GradientMemory<T>& memory_;
  int dimension_, end_, last_, anchors_;
  std::int64_t pitch_;
  PackedGaussian<T> values_[2];
  Vec4<T> four_;
};

}  // namespace gausscse::kernels::cuda
