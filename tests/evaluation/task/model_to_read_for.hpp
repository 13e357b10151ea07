#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "inference/sentence_model.hpp"

namespace gausscse {

/// Returns a model without weights, which tasks can read for. `tokenizer` must outlive it.
inline SentenceModel model_to_read_for(const Tokenizer& tokenizer, std::size_t positions, std::size_t max_tokens,
                                       ModelProperties properties = {}) {
  SentenceModel model;
  model.tokenizer = std::shared_ptr<const Tokenizer>(std::shared_ptr<void>(), &tokenizer);
  model.positions = positions;
  model.max_tokens = max_tokens;
  model.properties = std::move(properties);
  return model;
}

}  // namespace gausscse
