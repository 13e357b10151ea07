#pragma once

#include "base/choice.hpp"

/// The similarities of Gaussians: name and type, which NAME.hpp in this folder defines. Add a line for one of your own.
#define GAUSSCSE_SIMILARITIES_OF_GAUSSIANS(LINE) \
  LINE(per_dimension, PerDimension)              \
  LINE(joint, Joint)                             \
  LINE(wasserstein, Wasserstein)                 \
  LINE(symmetric, SymmetricKl)                   \
  LINE(bhattacharyya, Bhattacharyya)

namespace gausscse {

/// Similarity of two embeddings: one of Gaussians, in (0, 1], or that of plain vectors, `cosine`, in [-1, 1].
enum class Similarity {
#define GAUSSCSE_ENUMERATOR(name, Type) name,
  GAUSSCSE_SIMILARITIES_OF_GAUSSIANS(GAUSSCSE_ENUMERATOR)
#undef GAUSSCSE_ENUMERATOR
      cosine
};

#define GAUSSCSE_NAME(name, Type) {Similarity::name, #name},
template <>
inline constexpr NameTable<Similarity, static_cast<std::size_t>(Similarity::cosine) + 1> names<Similarity>{
    {GAUSSCSE_SIMILARITIES_OF_GAUSSIANS(GAUSSCSE_NAME){Similarity::cosine, "cosine"}}};
#undef GAUSSCSE_NAME

/// Returns whether embeddings are Gaussians, rows of [mean | log_var].
constexpr bool is_gaussian(Similarity similarity) {
  return similarity != Similarity::cosine;
}

}  // namespace gausscse
