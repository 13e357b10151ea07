#pragma once

#include <filesystem>

namespace gausscse {

/// Writes the file or folder `name`, as experiments/manifests/README.md lists it ("corpora/SICK.txt",
/// "corpora/sts/sts12/"), below `root`: a few lines in the layout that it has as distributed. Contents differ where
/// names do, and are the same wherever the root is. Throws std::logic_error for a name without a layout here.
void write_small_corpus(const std::filesystem::path& root, const std::filesystem::path& name);

}  // namespace gausscse
