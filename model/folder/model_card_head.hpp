#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// Facts of a model that the Hugging Face hub shows and searches by; an empty one is not written.
struct ModelFacts {
  std::string library = {};                 ///< program that opens the folder: "sentence-transformers"
  std::string base_model = {};              ///< name on the hub: "sentence-transformers/all-MiniLM-L6-v2"
  std::vector<std::string> languages = {};  ///< "en"
  std::string license = {};                 ///< "apache-2.0"
  std::vector<std::string> datasets = {};   ///< names on the hub

  bool operator==(const ModelFacts&) const = default;
};

/// Returns the beginning of a README.md: the block of YAML, and the title. `gaussian`: embeddings are Gaussians.
std::string model_card_head(const ModelFacts& facts, bool gaussian);

}  // namespace gausscse
