#pragma once

#include <filesystem>

namespace gausscse {

/// Files of a saved model that are compared with its mark.
enum class SavedFiles {
  all,         ///< every file but the card
  but_weights  ///< the same without weights, which are large
};

/// Compares the files of a saved model with the hashes in its mark, the file `.gausscse` that `save_model` leaves.
/// These include the modules of sentence-transformers: they decide what other programs compute from the folder. Throws
/// InputError, naming the file, where one was changed or is missing, or where the mark itself is damaged. The card
/// README.md may have been edited or removed, and files may have been added. A folder without a mark is not compared.
void check_saved_files(const std::filesystem::path& folder, SavedFiles which);

}  // namespace gausscse
