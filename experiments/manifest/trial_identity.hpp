#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "experiments/trial/trial.hpp"

namespace gausscse {

/// XXH3-128 of a file's content; throws InputError where it cannot be read.
using ContentHash = std::function<std::string(const std::filesystem::path& file)>;

/// What a trial is, as 32 hexadecimal digits: XXH3-128 of its canonical configuration and of the content of every file
/// that it reads, the backbone's included. Equal for equal trials wherever the files lie. No model is loaded. Throws
/// InputError where a file is missing or cannot be read.
std::string trial_identity(const Trial& trial, const ContentHash& content_hash);

/// Hashes each file once in the life of the object, and, by the user's cache, once for as long as it does not change
/// (see `cached_content_hash`). Not for a process in which files change.
ContentHash remembered_content_hash();

}  // namespace gausscse
