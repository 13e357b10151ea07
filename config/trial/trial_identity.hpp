#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns the trial without the keys that change no metric: places of files, times of checkpoints, devices and the
/// division among ranks. Two trials with equal canonical ones, made from files of equal content, have the same result.
/// Paths are replaced by their roles in the trial ("/data.train/1"). Metrics of trials that differ only in the keys
/// that are left out differ by rounding at most. The canonical trial of a canonical trial is the same.
Trial canonical_trial(const Trial& trial);

/// A file or folder that a trial reads, and its role: "data.train/1", "tasks.dev/1", "model.backbone".
struct TrialInput {
  std::string role;
  std::filesystem::path path;
  std::vector<std::filesystem::path> files = {};  ///< files of the folder that are read; empty: all
};

/// Returns all of them, in the trial's order; a file that is read twice is there twice.
std::vector<TrialInput> inputs_of(const Trial& trial);

/// Returns the role of a file in the trial, wherever it lies: "data.train/1", "tasks.dev/1",
/// "tasks.sts12/1/STS.input.MSRpar.txt", "model.backbone/config.json". A file that is none of the trial's keeps its
/// name.
std::string role_of_file(const Trial& trial, const std::string& file);

/// Returns the settings that identify a trial, for hashing. They are those of the canonical trial that differ from the
/// first default of their key (a member's own, or that of a task's or term's kind). So a key that a later version adds
/// does not change the text of a trial that does not set it, and done trials stay done. Two trials have the same text
/// if and only if their canonical trials are the same.
std::string identity_text(const Trial& trial);

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
