#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the folder of real corpora: GAUSSCSE_TEST_DATA, else ../shared/data next to the source folder. May not
/// exist.
std::filesystem::path real_data();

/// Returns a file of the tree's goldens: `name` in GAUSSCSE_TEST_GOLDEN, else in tests/golden of the source folder.
std::filesystem::path golden(const std::string& name);

/// A fresh folder, removed with all it holds when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Writes `bytes` to `path`, replacing it.
void write_bytes(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gausscse

/// Skips the running test, visibly, where the real corpora are missing.
#define GAUSSCSE_REQUIRE_REAL_DATA()                                                                      \
  do {                                                                                                    \
    if (!std::filesystem::exists(::gausscse::real_data()))                                                \
      GTEST_SKIP() << "no real corpora in " << ::gausscse::real_data()                                    \
                   << ": set GAUSSCSE_TEST_DATA to a folder laid out as docs/developers/testing.md says"; \
  } while (false)
