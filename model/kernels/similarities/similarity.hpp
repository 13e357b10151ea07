#pragma once

/// Similarities of embeddings. Each similarity of Gaussians has a header in this folder, which holds all that is
/// computed by it; list.hpp is the list of these headers.
namespace gausscse {

/// Similarity of two embeddings. Similarities of Gaussians lie in (0, 1].
enum class Similarity {
  per_dimension,  ///< per_dimension.hpp
  joint,          ///< joint.hpp
  wasserstein,    ///< wasserstein.hpp
  cosine          ///< for plain vectors, in [-1, 1]
};

/// Returns whether embeddings are Gaussians, rows of [mean | log_var].
constexpr bool is_gaussian(Similarity similarity) {
  return similarity != Similarity::cosine;
}

/// Returns whether sim(p || q) differs from sim(q || p), so that it shows which of two sentences entails the other.
constexpr bool has_direction(Similarity similarity) {
  return similarity == Similarity::per_dimension || similarity == Similarity::joint;
}

}  // namespace gausscse
