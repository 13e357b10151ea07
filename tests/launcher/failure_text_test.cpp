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
std::string text_of(const Action& action, std::string_view command = "train") {
  try {
    action();
  } catch (const std::exception& error) {
    return failure_text(error, command);
  }
  return "nothing was thrown";
}

TEST(FailureText, SaysWhatToDoWhereMemoryIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer itself ends a program that asks for so much";
#endif
  const std::string of_tensor = text_of([] { return at::empty({std::int64_t{1} << 52}, at::kByte); });
  EXPECT_TRUE(
      of_tensor.starts_with("out of memory: let a rank embed fewer examples at a time (training.micro_batch; 0"))
      << of_tensor;
  EXPECT_NE(of_tensor.find("4503599627370496 bytes"), std::string::npos) << of_tensor;
  EXPECT_EQ(of_tensor.find("frame #"), std::string::npos) << of_tensor;
}

/// Other commands have no batch to lower.
TEST(FailureText, AdviceFitsTheCommand) {
  const auto refuse = [] { throw std::bad_alloc(); };
  const std::string of_train = text_of(refuse, "train");
  for (const char* key : {"training.micro_batch", "training.batch_size", "training.max_tokens"})
    EXPECT_NE(of_train.find(key), std::string::npos) << of_train;
  for (const char* command : {"eval", "encode", "score"}) {
    const std::string text = text_of(refuse, command);
    EXPECT_TRUE(text.starts_with("out of memory: start fewer threads a rank (--threads")) << text;
    EXPECT_EQ(text.find("training."), std::string::npos) << text;
  }
  for (const char* command : {"generate", "tokenize", "doctor"})
    EXPECT_TRUE(text_of(refuse, command).starts_with("out of memory: give the program more memory (")) << command;
}

TEST(FailureText, LeavesOtherErrorsAsTheyAre) {
  EXPECT_EQ(text_of([] { throw InputError("no such file"); }), "no such file");
  const std::string of_libtorch = text_of([] { at::empty({2}).add_(at::empty({3})); });
  EXPECT_NE(of_libtorch.find("size of tensor"), std::string::npos) << of_libtorch;
  EXPECT_EQ(of_libtorch.find("frame #"), std::string::npos) << of_libtorch;
}

}  // namespace
}  // namespace gausscse
