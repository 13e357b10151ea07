#include "results/embeddings_seal.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace gausscse {

EmbeddingsSeal::EmbeddingsSeal(std::vector<std::string> names, std::uint64_t rows, std::uint64_t columns)
    : names_(std::move(names)), rows_(rows), columns_(columns), hashers_(names_.size()) {}

std::string EmbeddingsSeal::digits(std::map<std::string, std::string> attributes) const {
  attributes.erase(embeddings_seal);
  nlohmann::json content{{"attributes", attributes}, {"matrices", nlohmann::json::array()}};
  for (std::size_t i = 0; i < names_.size(); ++i)
    content["matrices"].push_back({names_[i], rows_, columns_, hashers_[i].digits()});
  return content_hash_of(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace gausscse
