#pragma once

#include <filesystem>

#include "inference/sentence_model.hpp"

namespace gausscse {

/// Opens a file of word vectors as a model: a sentence is the mean of its words' vectors (WordTokenizer,
/// MeanOfVectors), compared by cosine. The notes report words that the file has twice. Throws as WordVectors does.
SentenceModel open_word_vector_model(const std::filesystem::path& file, const ReadProgress& progress);

}  // namespace gausscse
