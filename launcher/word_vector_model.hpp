#pragma once

#include <filesystem>

#include "dist/control_group.hpp"
#include "launcher/measured_model.hpp"

namespace gausscse {

/// Opens a file of word vectors as a model: a sentence is the mean of its words' vectors (WordTokenizer,
/// MeanOfVectors), compared by cosine. One rank of each node makes the index where there is none; the log tells of it,
/// with the progress of rank 0 if `show_progress` is set, and of words that the file has twice. Throws as
/// WordVectors::open does. Collective; the ranks are at SlowWork meanwhile.
MeasuredModel open_word_vector_model(const std::filesystem::path& file, ControlGroup& ranks, bool show_progress);

}  // namespace gausscse
