#pragma once

#include <string>

#include "experiments/trial/trial.hpp"

namespace gausscse {

/// What a trial is, as 32 hexadecimal digits: XXH3-128 of its canonical configuration and of the content of every file
/// that it reads, the backbone's weights included. Equal for equal ones wherever the files lie. No model is loaded, and
/// files are hashed once for as long as their size, time and inode stay (see `cached_content_hash`). Throws InputError
/// where a file is missing or cannot be read.
std::string trial_identity(const Trial& trial);

}  // namespace gausscse
