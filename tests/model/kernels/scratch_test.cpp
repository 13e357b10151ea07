#define GAUSSCSE_ISA of_test
#include "model/kernels/cpu/scratch.hpp"

#include <csignal>

#include "model/kernels/scratch_refused.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

TEST(Scratch, GrowsAndIsAligned) {
  of_test::Scratch<float> scratch;
  float* small = scratch.of_size(3);
  EXPECT_EQ(scratch.of_size(2), small) << "what is there is enough";
  for (const std::int64_t count : {16, 17, 100000}) {
    float* values = scratch.of_size(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 64, 0u);
    values[0] = values[count - 1] = 1;
  }
}

TEST(ScratchRefused, EndsTheProcessWithWords) {
  ASSERT_EQ(unsetenv("OMPI_COMM_WORLD_RANK"), 0);
  EXPECT_EXIT(abort_as_scratch_was_refused(4096), testing::KilledBySignal(SIGABRT),
              "error: out of memory: 4096 bytes of a kernel's scratch were refused: give each rank more memory");
  EXPECT_EXIT(
      {
        setenv("OMPI_COMM_WORLD_RANK", "3", 1);
        abort_as_scratch_was_refused(64);
      },
      testing::KilledBySignal(SIGABRT), "error on rank 3: out of memory: 64 bytes");
}

TEST(ScratchRefused, IsNoticed) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer ends the process itself";
#else
  EXPECT_EXIT(of_test::Scratch<float>().of_size(std::int64_t{1} << 58), testing::KilledBySignal(SIGABRT),
              "1152921504606846976 bytes of a kernel's scratch were refused");
#endif
}

}  // namespace
}  // namespace gausscse::kernels
