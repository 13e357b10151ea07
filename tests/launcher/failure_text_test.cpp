#include "launcher/failure_text.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
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

/// As LibTorch's allocator of GPU memory says it.
constexpr const char* refused_by_gpu =
    "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 3 has a total capacity of 79.19 GiB of which 1.06 GiB is "
    "free. "
    "Process 4711 has 70.12 GiB memory in use. Including non-PyTorch memory, this process has 8.01 GiB memory in use. "
    "Of "
    "the allocated memory 7.25 GiB is allocated by PyTorch, and 250.00 MiB is reserved by PyTorch but unallocated. If "
    "reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.";

TEST(FailureText, SaysHowMuchMemoryAGpuLacks) {
  const auto refuse = [] { TORCH_CHECK_WITH(OutOfMemoryError, false, refused_by_gpu); };
  EXPECT_EQ(text_of(refuse, "train"),
            "out of GPU memory: 2.50 GiB are needed, GPU 3 has 79.19 GiB, and 1.06 GiB of them free: let a rank embed "
            "fewer examples at a time (training.micro_batch; 0, the default, is its whole share of the batch), lower "
            "training.batch_size or training.max_tokens, start more ranks with a GPU each, see by nvidia-smi whether "
            "other programs hold memory of this GPU, take one with more, or give --device cpu");
  for (const char* command : {"encode", "eval", "score", "geometry"}) {
    const std::string text = text_of(refuse, command);
    EXPECT_TRUE(
        text.starts_with("out of GPU memory: 2.50 GiB are needed, GPU 3 has 79.19 GiB, and 1.06 GiB of them "
                         "free: see by nvidia-smi whether other programs hold memory of this GPU"))
        << text;
    EXPECT_EQ(text.find("training."), std::string::npos) << text;
  }
}

TEST(FailureText, OfGpuMemoryKeepsWhatItDoesNotKnow) {
  const std::string text = text_of([] {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate more than 1EB memory.\nx");
  });
  EXPECT_TRUE(text.starts_with("out of GPU memory: let a rank embed fewer examples at a time")) << text;
  EXPECT_TRUE(text.ends_with("(CUDA out of memory. Tried to allocate more than 1EB memory.)")) << text;
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
