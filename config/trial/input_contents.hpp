#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Function that returns the XXH3-128 of a file's content; throws InputError where it cannot be read.
using ContentHash = std::function<std::string(const std::filesystem::path& file)>;

/// One file that a trial reads, with its content.
struct InputContent {
  std::string role;  ///< role of the file in the trial: "data.train/1", "model.backbone/config.json"
  std::filesystem::path file;
  std::string hash;  ///< XXH3-128
};

/// Returns the contents of all files that a trial reads, in the trial's order; of a folder those that a training may
/// read: texts, and of a model also .json and .safetensors. Throws InputError where a file is missing or unreadable.
std::vector<InputContent> contents_of_inputs(const Trial& trial, const ContentHash& content_hash);

/// Returns a hash function that has the hashes of some files, given as path and hash, and reads all others.
ContentHash content_hash_with(std::vector<std::pair<std::string, std::string>> known);

}  // namespace gausscse
