#include "model/matmul/cpu/bfloat16_instructions.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using enum Bfloat16Instructions;

TEST(Bfloat16Instructions, AreTheBestOfTheProcessor) {
  EXPECT_EQ(bfloat16_instructions("", ""), none);
  EXPECT_EQ(bfloat16_instructions("fpu avx2 avx512f avx512bw", ""), none);
  EXPECT_EQ(bfloat16_instructions("avx512_bf16 wbnoinvd", ""), avx512_bf16);
  EXPECT_EQ(bfloat16_instructions("avx512_bf16 amx_bf16 amx_tile amx_int8", ""), amx);
  EXPECT_EQ(bfloat16_instructions("avx512_bf16 amx_tile", ""), avx512_bf16) << "tiles of integers only";
  EXPECT_EQ(bfloat16_instructions("avx512_bf16_of_another_kind", ""), none) << "flags are whole words";
}

TEST(Bfloat16Instructions, AreLimitedAsTheLibraryIs) {
  const std::string flags = "avx512_bf16 amx_bf16 amx_tile";
  EXPECT_EQ(bfloat16_instructions(flags, "AVX512_CORE_AMX"), amx);
  EXPECT_EQ(bfloat16_instructions(flags, "avx512_core_amx_fp16"), amx);
  EXPECT_EQ(bfloat16_instructions(flags, "AVX512_CORE_FP16"), avx512_bf16);
  EXPECT_EQ(bfloat16_instructions(flags, "AVX512_CORE_BF16"), avx512_bf16);
  EXPECT_EQ(bfloat16_instructions(flags, "AVX512_CORE_VNNI"), none);
  EXPECT_EQ(bfloat16_instructions(flags, "AVX512_CORE"), none);
  EXPECT_EQ(bfloat16_instructions(flags, "AVX2"), none);
  EXPECT_EQ(bfloat16_instructions(flags, "DEFAULT"), amx);
  EXPECT_EQ(bfloat16_instructions(flags, "no such word"), amx);
  EXPECT_EQ(bfloat16_instructions("avx2", "AVX512_CORE_AMX"), none) << "a limit gives nothing";
}

TEST(Bfloat16Instructions, HaveNames) {
  EXPECT_STREQ(name_of(none), "none");
  EXPECT_STREQ(name_of(avx512_bf16), "avx512_bf16");
  EXPECT_STREQ(name_of(amx), "amx");
}

}  // namespace
}  // namespace gausscse
