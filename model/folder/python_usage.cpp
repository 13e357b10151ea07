#include "model/folder/python_usage.hpp"

#include "base/error.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

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
      kernels::with_similarity<kernels::HostMath>(similarity, [](auto of) { return decltype(of)::in_python; }),
      "    print(similarity(1, 0))  # high if the first sentence entails the second\n");
}

std::string embedding_in_python(const std::string& folder, const std::string& name) {
  return concat(
      "    from sentence_transformers import SentenceTransformer\n\n"
      "    model = SentenceTransformer(",
      folder, ")\n    ", name, " = model.encode(sentences, convert_to_tensor=True)\n");
}

}  // namespace gausscse
