#pragma once

#include <filesystem>

#include "experiments/checkpoint/training_state.hpp"

namespace gausscse {

/// Writes a state to `path`, whole or not at all: a safetensors file whose metadata hold the XXH3-128 of every tensor.
/// Throws WriteError.
void write_checkpoint(const std::filesystem::path& path, const TrainingState& state);

/// Reads a whole file and compares every tensor with its checksum. Throws as `read_checkpoint`.
void verify_checkpoint(const std::filesystem::path& path);

/// Throws InputError, naming the file and the tensor, where anything in it is not as it was written.
TrainingState read_checkpoint(const std::filesystem::path& path);

}  // namespace gausscse
