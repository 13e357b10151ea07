#pragma once

#include <stdexcept>

#include "model/choices.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse {

/// What the kernels call a similarity of Gaussians. Throws std::logic_error for one of other embeddings.
inline kernels::SimilarityKind kernel_similarity(Similarity similarity) {
  switch (similarity) {
    case Similarity::per_dimension:
      return kernels::SimilarityKind::per_dimension;
    case Similarity::joint:
      return kernels::SimilarityKind::joint;
    case Similarity::cosine:
      break;
  }
  throw std::logic_error("no similarity of Gaussians");
}

}  // namespace gausscse
