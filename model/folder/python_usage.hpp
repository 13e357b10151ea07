#pragma once

#include <string>

#include "model/choices.hpp"

namespace gausscse {

// Texts of Python for the README.md of a model folder, indented by four blanks, as Markdown has code.

/// Returns the lines that give mean and log-variance of `sentences` from a folder whose modules are those of
/// `GaussianModules::mean_and_log_var`, and compute sim(a || b) from them. `folder` is a Python expression or a word
/// for the folder. With the types that sentence-transformers 6.2 returns: an array for embeddings, a list of tensors
/// for any other output. Where the head scales means, those of the folder have the length 1.
std::string gaussian_similarity_in_python(const std::string& folder, Similarity similarity, MeanScale scale);

/// Returns the lines that give the embeddings of `sentences` from a folder whose modules compute one vector, called
/// `name`.
std::string embedding_in_python(const std::string& folder, const std::string& name);

}  // namespace gausscse
