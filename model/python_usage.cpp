#include "model/python_usage.hpp"

#include <stdexcept>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the lines of a function sim(a || b) of rows a and b, from `m` (means) and `v` (log-variances) in float64.
std::string similarity_function(Similarity similarity) {
  const std::string divergence =
      "        kl = (np.exp(v[a] - v[b]) + (m[a] - m[b]) ** 2 / np.exp(v[b]) - 1 + v[b] - v[a]) / 2\n";
  switch (similarity) {
    case Similarity::per_dimension:
      return divergence + "        return np.mean(1 / (1 + kl), axis=-1)\n";
    case Similarity::joint:
      return divergence + "        return 1 / (1 + kl.sum(axis=-1))\n";
    case Similarity::wasserstein:
      return "        d = (m[a] - m[b]) ** 2 + (np.exp(v[a] / 2) - np.exp(v[b] / 2)) ** 2\n"
             "        return 1 / (1 + d.sum(axis=-1))\n";
    case Similarity::cosine:
      break;
  }
  throw std::logic_error("the cosine is not a similarity of Gaussians");
}

}  // namespace

std::string gaussian_similarity_in_python(const std::string& folder, Similarity similarity, MeanScale scale) {
  return concat(
      "    import numpy as np\n"
      "    from sentence_transformers import SentenceTransformer\n\n"
      "    model = SentenceTransformer(",
      folder,
      ")\n"
      "    m = model.encode(sentences).astype(np.float64)  # means\n",
      scale == MeanScale::unit ? "    m *= np.sqrt(m.shape[1])  # of the model's length, in place of 1\n" : "",
      "    v = np.stack([x.cpu().numpy() for x in model.encode(sentences, "
      "output_value=\"log_variance\")]).astype(float)\n"
      "    def similarity(a, b):  # sim(a || b) of the sentences with these numbers\n",
      similarity_function(similarity),
      "    print(similarity(1, 0))  # high if the first sentence entails the second\n");
}

std::string embedding_in_python(const std::string& folder, const std::string& name) {
  return concat(
      "    from sentence_transformers import SentenceTransformer\n\n"
      "    model = SentenceTransformer(",
      folder, ")\n    ", name, " = model.encode(sentences, convert_to_tensor=True)\n");
}

}  // namespace gausscse
