#pragma once

#include <filesystem>

#include "dist/communicator.hpp"

namespace gausscse {

/// Makes the output folder and tries a write, on rank 0; all ranks learn of a failure. Throws InputError where it
/// cannot be written to, or holds a result.h5 and `overwrite` is not set. With `overwrite` an old result is removed, so
/// that none is there while the new run is not complete.
void prepare_output_folder(const std::filesystem::path& folder, bool overwrite, Communicator& communicator);

}  // namespace gausscse
