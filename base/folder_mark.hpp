#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace gausscse {

/// The file by which a folder is known as one that this program wrote, and may replace or remove things in.
inline constexpr const char* folder_mark_name = ".gausscse";

/// A mark's first line: the kind of the folder.
enum class FolderKind {
  output,       ///< folder where runs write their results, next to other files
  checkpoints,  ///< checkpoints of a run, next to other files
  whole         ///< written as a whole; the mark names every file, with the XXH3-128 of its content
};

/// Returns the mark of a whole folder with the files of `folder`. Throws SystemError and InputError where it cannot be
/// read.
std::string whole_folder_mark(const std::filesystem::path& folder);

/// Returns the files that the mark of a whole folder names, each with the XXH3-128 of its content. Empty where there is
/// no mark, or one of another kind. Throws InputError where the mark is damaged.
std::map<std::string, std::string> files_in_mark(const std::filesystem::path& folder);

/// Returns whether `folder` has a mark of this kind.
bool has_folder_mark(const std::filesystem::path& folder, FolderKind kind);

/// Returns the note in the mark of this kind; empty where there is none.
std::string note_in_mark(const std::filesystem::path& folder, FolderKind kind);

/// Throws InputError where a mark of this kind would take the place of another file.
void check_markable(const std::filesystem::path& folder, FolderKind kind);

/// Marks a folder that is there, with a note of one line, or replaces the note. Throws as `check_markable`, and
/// WriteError.
void mark_folder(const std::filesystem::path& folder, FolderKind kind, const std::string& note = {});

/// Throws InputError, with the names, unless `folder` may be replaced as a whole. It may if there is none, if it is
/// empty, or if it is marked as a whole folder and everything in it is as it was written. A missing entry does no harm;
/// a symbolic link to a folder is followed.
void check_replaceable(const std::filesystem::path& folder);

/// Removes `folder` where `check_replaceable` has nothing against it and it is no symbolic link. False where it is left
/// as it is. Throws WriteError where it cannot be removed.
bool remove_whole_folder(const std::filesystem::path& folder);

/// Files of a saved model that are compared with its mark.
enum class SavedFiles {
  all,         ///< every file but the card
  but_weights  ///< the same without weights, which are large
};

/// Compares the files of a saved model with the hashes in its mark, the file `.gausscse` that `save_model` leaves.
/// These include the modules of sentence-transformers: they decide the vectors that other programs compute from the
/// folder. Throws InputError, naming the file, where one was changed or is missing, or where the mark itself is
/// damaged. The card README.md may have been edited or removed, and files may have been added. A folder without a mark
/// is not compared.
void check_saved_files(const std::filesystem::path& folder, SavedFiles which);

}  // namespace gausscse
