#pragma once

#include <stdexcept>
#include <string_view>

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

/// Returns whether the similarity is one of Gaussians whose terms are those of `joint`.
constexpr bool has_joint_terms(Similarity similarity) {
  return is_gaussian(similarity) && kernels::with_similarity<kernels::HostMath>(
                                        similarity, [](auto of) { return kernels::SumOfJointTerms<decltype(of)>; });
}

/// Returns the vectors of an embedding whose Euclidean distance orders as the similarity does; empty where there are
/// none.
constexpr std::string_view euclidean_vectors(Similarity similarity) {
  if (!is_gaussian(similarity)) return {};
  return kernels::with_similarity<kernels::HostMath>(similarity, [](auto of) -> std::string_view {
    if constexpr (kernels::Euclidean<decltype(of)>)
      return decltype(of)::euclidean_vectors;
    else
      return {};
  });
}

}  // namespace gausscse
