#include "launcher/process.hpp"

#include <ATen/Parallel.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(Process, HasLibTorchComputeWithItsThreads) {
  const int before = at::get_num_threads();
  for (const int threads : {3, 2}) {
    const Process process({.threads = static_cast<std::size_t>(threads)});
    EXPECT_EQ(process.threads(), static_cast<std::size_t>(threads));
    EXPECT_EQ(at::get_num_threads(), threads);
  }
  const Process process({});
  EXPECT_EQ(static_cast<int>(process.threads()), at::get_num_threads());
  EXPECT_GE(process.threads(), 1u);
  at::set_num_threads(before);
}

}  // namespace
}  // namespace gausscse
