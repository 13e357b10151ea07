#pragma once

#include <filesystem>

namespace gausscse {

/// Which files of a saved model are compared with its mark.
enum class SavedFiles {
  all,         ///< every file with a bearing on token ids and vectors
  but_weights  ///< the same without weights, which are large
};

/// Compares the files of a saved model with the hashes in its mark, the file `.gausscse` that `save_model` leaves.
/// Throws InputError, naming the file, where one was changed or is missing. Files without a bearing on token ids and
/// vectors, such as the card, may have been edited or removed. A folder without a mark is not looked at.
void check_saved_files(const std::filesystem::path& folder, SavedFiles which);

}  // namespace gausscse
