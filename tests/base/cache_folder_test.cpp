#include <stdlib.h>

#include "base/user_paths.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// HOME and GAUSSCSE_CACHE are put back when the test ends.
class UserCacheFolder : public testing::Test {
 protected:
  UserCacheFolder() {
    for (const char* name : {"HOME", "GAUSSCSE_CACHE"}) {
      const char* value = ::getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      ::unsetenv(name);
    }
  }
  ~UserCacheFolder() override {
    for (const auto& [name, value] : before_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST_F(UserCacheFolder, IsWhereTheUserSaysElseInTheHomeFolder) {
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(user_cache_folder("tokens"), "/home/me/.cache/gausscse/tokens");
  ::setenv("GAUSSCSE_CACHE", "/cache", 1);
  EXPECT_EQ(user_cache_folder("tokens"), "/cache/tokens");
  ::setenv("GAUSSCSE_CACHE", "", 1);
  EXPECT_EQ(user_cache_folder("tokens"), "/home/me/.cache/gausscse/tokens");
}

TEST_F(UserCacheFolder, IsNoneWithoutAHome) {
  EXPECT_EQ(user_cache_folder("tokens"), "");
  ::setenv("HOME", "", 1);
  EXPECT_EQ(user_cache_folder("tokens"), "");
  ::setenv("GAUSSCSE_CACHE", "/cache", 1);
  EXPECT_EQ(user_cache_folder("tokens"), "/cache/tokens");
}

}  // namespace
}  // namespace gausscse
