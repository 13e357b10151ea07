#include "model/matmul/cpu/block_kernel.hpp"

#include "tests/support/testing.hpp"

namespace gausscse::block_matmul {
namespace {

using enum Bfloat16Instructions;

void by_vdpbf16ps(const kernels::BlockProduct&) {}
void by_fma(const kernels::BlockProduct&) {}

kernels::BlockLayouts both_kernels() {
  kernels::BlockLayouts layouts{};
  layouts.multiply = by_vdpbf16ps;
  layouts.multiply_by_fma = by_fma;
  return layouts;
}

InstructionRates not_measured() {
  ADD_FAILURE() << "nothing is measured where there is nothing to choose";
  return {};
}

/// Returns the choice between both kernels where FMA is that many times as fast.
template <int percent>
BlockKernel chosen_at() {
  return choose_block_kernel(both_kernels(), avx512_bf16, nullptr, [] {
    return InstructionRates{200.4e9, 2.004e9 * percent};
  });
}

TEST(BlockKernel, IsTheFasterOne) {
  EXPECT_EQ(chosen_at<207>().multiply, by_fma);
  EXPECT_EQ(chosen_at<111>().multiply, by_fma);
  EXPECT_EQ(chosen_at<109>().multiply, by_vdpbf16ps) << "widening takes time as well";
  EXPECT_EQ(chosen_at<100>().multiply, by_vdpbf16ps) << "a tie";
  EXPECT_EQ(chosen_at<50>().multiply, by_vdpbf16ps);
  EXPECT_EQ(chosen_at<207>().description, "fma (415 GFLOP/s a core, vdpbf16ps 200)");
  EXPECT_EQ(chosen_at<50>().description, "vdpbf16ps (200 GFLOP/s a core, fma 100)");
}

TEST(BlockKernel, IsTheOneAskedFor) {
  const auto asked_for = [](const char* name) {
    return choose_block_kernel(both_kernels(), avx512_bf16, name, not_measured);
  };
  EXPECT_EQ(asked_for("fma").multiply, by_fma);
  EXPECT_EQ(asked_for("fma").description, "fma (set by GAUSSCSE_BF16_KERNEL)");
  EXPECT_EQ(asked_for("vdpbf16ps").multiply, by_vdpbf16ps);
  EXPECT_EQ(asked_for("vdpbf16ps").description, "vdpbf16ps (set by GAUSSCSE_BF16_KERNEL)");
}

/// Other processors read the variable as well, so that a misspelt one is found anywhere.
TEST(BlockKernel, RefusesOtherNames) {
  for (const char* name : {"FMA", "", "fma ", "amx"})
    for (const Bfloat16Instructions instructions : {none, avx512_bf16, amx}) {
      try {
        choose_block_kernel(both_kernels(), instructions, name, not_measured);
        ADD_FAILURE() << "no error for " << quoted(name);
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), concat("GAUSSCSE_BF16_KERNEL is ", quoted(name), ": give vdpbf16ps or fma"));
      }
    }
}

TEST(BlockKernel, IsTheLibrarysWhereOursDoNotFit) {
  for (const char* name : {static_cast<const char*>(nullptr), "fma", "vdpbf16ps"}) {
    for (const Bfloat16Instructions instructions : {none, amx}) {
      const BlockKernel kernel = choose_block_kernel(both_kernels(), instructions, name, not_measured);
      EXPECT_EQ(kernel.multiply, nullptr);
      EXPECT_EQ(kernel.description, "");
    }
    // Kernels of an older processor.
    EXPECT_EQ(choose_block_kernel({}, avx512_bf16, name, not_measured).multiply, nullptr);
  }
}

/// ctest repeats this with both values of the variable.
TEST(BlockKernel, OfThisProcessIsChosenByTheVariableOrMeasured) {
  const kernels::BlockLayouts& layouts = kernels::block_layouts();
  if (bfloat16_instructions() != avx512_bf16 || !layouts.multiply_by_fma)
    GTEST_SKIP() << "needs a processor with instructions for bfloat16";
  const std::string description = block_kernel().description;
  const bool is_fma = description.rfind("fma (", 0) == 0;
  EXPECT_EQ(block_kernel().multiply, is_fma ? layouts.multiply_by_fma : layouts.multiply);
  if (const char* asked = std::getenv("GAUSSCSE_BF16_KERNEL"))
    EXPECT_EQ(description, concat(asked, " (set by GAUSSCSE_BF16_KERNEL)"));
  else
    EXPECT_NE(description.find(is_fma ? " GFLOP/s a core, vdpbf16ps " : " GFLOP/s a core, fma "), std::string::npos)
        << description;
}

}  // namespace
}  // namespace gausscse::block_matmul
