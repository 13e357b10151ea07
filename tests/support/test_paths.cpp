#include <stdlib.h>

#include "tests/support/testing.hpp"

namespace gausscse {

namespace fs = std::filesystem;

fs::path real_data() {
  if (const char* given = std::getenv("GAUSSCSE_TEST_DATA")) return given;
  return fs::path(GAUSSCSE_SOURCE_DIR).parent_path() / "shared" / "data";
}

fs::path golden(const std::string& name) {
  if (const char* given = std::getenv("GAUSSCSE_TEST_GOLDEN")) return fs::path(given) / name;
  return fs::path(GAUSSCSE_SOURCE_DIR) / "tests" / "golden" / name;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "gausscse-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder at " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_bytes(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace gausscse
