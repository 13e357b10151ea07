#pragma once

#include <stdexcept>

#include "model/kernels/similarities/joint.hpp"
#include "model/kernels/similarities/per_dimension.hpp"
#include "model/kernels/similarities/similarity.hpp"
#include "model/kernels/similarities/wasserstein.hpp"

namespace gausscse::kernels {

/// Calls `use(S{})` with the header's type S of a similarity of Gaussians, and returns its result. `Math` has `exp` and
/// `reciprocal` for the code that instantiates S; its own type for each instruction set, as functions of a template
/// that are compiled for several would be taken for the same. Throws std::logic_error for a similarity of other
/// embeddings.
///
///     with_similarity<Math>(kind, [&](auto of) {
///       using S = decltype(of);
///       ...
///     });
template <typename Math, typename Use>
auto with_similarity(Similarity similarity, const Use& use) {
  switch (similarity) {
    case Similarity::per_dimension:
      return use(PerDimension<Math>{});
    case Similarity::joint:
      return use(Joint<Math>{});
    case Similarity::wasserstein:
      return use(Wasserstein<Math>{});
    case Similarity::cosine:
      break;
  }
  throw std::logic_error("no similarity of Gaussians");
}

/// Arithmetic of numbers on the host, for evaluation and tests.
struct HostMath {
  static double exp(double x) { return std::exp(x); }
  template <typename Real>
  static Real reciprocal(Real x) {
    return Real{1} / x;
  }
};

}  // namespace gausscse::kernels
