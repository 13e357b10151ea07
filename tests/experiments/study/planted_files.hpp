#pragma once

#include <sys/stat.h>

#include "tests/support/testing.hpp"

namespace gausscse {

/// Puts a symbolic link to the very content of `file`, then a pipe, then a folder in its place, and expects
/// `problem_of_reading` to name each. The file is in its place again afterwards.
inline void expect_planted_named(const std::filesystem::path& file,
                                 const std::function<std::string()>& problem_of_reading) {
  namespace fs = std::filesystem;
  ASSERT_TRUE(fs::exists(file)) << file;
  const fs::path content = file.string() + ".moved";
  fs::rename(file, content);
  fs::create_symlink(content, file);
  EXPECT_TRUE(says(problem_of_reading(), file.string() + ": is a symbolic link"));
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(says(problem_of_reading(), file.string() + ": is not a regular file"));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_TRUE(says(problem_of_reading(), file.string() + ": is a folder"));
  fs::remove(file);
  fs::rename(content, file);
}

}  // namespace gausscse
