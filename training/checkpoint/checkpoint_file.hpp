#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "training/checkpoint/training_state.hpp"

namespace gausscse {

/// A checkpoint is not as it was written: nothing can be done with it.
class DamagedCheckpoint : public InputError {
  using InputError::InputError;
};

/// Writes a state to `path`, whole or not at all: a safetensors file whose metadata hold the XXH3-128 of every tensor,
/// and of the other metadata.
/// Throws WriteError.
void write_checkpoint(const std::filesystem::path& path, const TrainingState& state);

/// Reads a whole file and compares every tensor and the metadata with their checksums. Throws as `read_checkpoint`.
void verify_checkpoint(const std::filesystem::path& path);

/// Throws DamagedCheckpoint, naming the file and the tensor, where anything in it is not as it was written; InputError
/// where it may not be read or is of another version's format.
TrainingState read_checkpoint(const std::filesystem::path& path);

}  // namespace gausscse
