#include "launcher/failure_text.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <new>

#include "base/error.hpp"

namespace gausscse {
namespace {

template <typename Action>
std::string text_of(const Action& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return failure_text(error);
  }
  return "nothing was thrown";
}

TEST(FailureText, SaysWhatToDoWhereMemoryIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer itself ends a program that asks for so much";
#endif
  const std::string of_tensor = text_of([] { return at::empty({std::int64_t{1} << 52}, at::kByte); });
  EXPECT_EQ(of_tensor.find("out of memory: lower training.micro_batch"), 0u) << of_tensor;
  EXPECT_NE(of_tensor.find("4503599627370496 bytes"), std::string::npos) << of_tensor;
  EXPECT_EQ(of_tensor.find("frame #"), std::string::npos) << of_tensor;
  const std::string of_new = text_of([] { throw std::bad_alloc(); });
  EXPECT_EQ(of_new.find("out of memory: lower training.micro_batch"), 0u) << of_new;
}

TEST(FailureText, LeavesOtherErrorsAsTheyAre) {
  EXPECT_EQ(text_of([] { throw InputError("no such file"); }), "no such file");
  const std::string of_libtorch = text_of([] { at::empty({2}).add_(at::empty({3})); });
  EXPECT_NE(of_libtorch.find("size of tensor"), std::string::npos) << of_libtorch;
  EXPECT_EQ(of_libtorch.find("frame #"), std::string::npos) << of_libtorch;
}

}  // namespace
}  // namespace gausscse
