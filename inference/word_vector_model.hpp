#pragma once

#include <filesystem>

#include "dist/control_group.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

/// Opens a file of word vectors as a model: a sentence is the mean of its words' vectors (WordTokenizer,
/// MeanOfVectors), compared by cosine. One rank of each node makes the index where there is none, and calls `on_index`.
/// The notes report words that the file has twice. Throws as WordVectors::open does. Collective; the ranks are at
/// SlowWork meanwhile.
SentenceModel open_word_vector_model(const std::filesystem::path& file, ControlGroup& ranks,
                                     const IndexProgress& on_index);

}  // namespace gausscse
