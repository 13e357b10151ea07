#pragma once

#include <stdexcept>

#include "model/similarities/bhattacharyya.hpp"
#include "model/similarities/host_math.hpp"
#include "model/similarities/joint.hpp"
#include "model/similarities/per_dimension.hpp"
#include "model/similarities/similarity.hpp"
#include "model/similarities/symmetric.hpp"
#include "model/similarities/wasserstein.hpp"

namespace gausscse {

namespace kernels {

/// Calls `use(S{})` with the type S of a similarity of Gaussians, and returns its result. `Math` has `exp`, `log` and
/// `reciprocal` for the code that instantiates S; its own type for each instruction set, as functions of a template
/// that are compiled for several would be taken for the same. Throws std::logic_error for a similarity of other
/// embeddings.
///
///     with_similarity<Math>(kind, [&](auto of) {
///       using S = decltype(of);
///       ...
///     });
template <typename Math, typename Use>
constexpr auto with_similarity(Similarity similarity, const Use& use) {
  switch (similarity) {
#define GAUSSCSE_CASE(name, Type)                         \
  case Similarity::name:                                  \
    static_assert(SimilarityOfGaussians<Type<HostMath>>); \
    return use(Type<Math>{});
    GAUSSCSE_SIMILARITIES_OF_GAUSSIANS(GAUSSCSE_CASE)
#undef GAUSSCSE_CASE
    case Similarity::cosine:
      break;
  }
  throw std::logic_error("no similarity of Gaussians");
}

}  // namespace kernels

/// Returns whether sim(p || q) differs from sim(q || p), so that it shows which of two sentences entails the other.
constexpr bool has_direction(Similarity similarity) {
  return is_gaussian(similarity) &&
         kernels::with_similarity<kernels::HostMath>(similarity, [](auto of) { return decltype(of)::has_direction; });
}

}  // namespace gausscse
