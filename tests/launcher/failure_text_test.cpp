#include "launcher/failure_text.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <sys/resource.h>

#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

#include "tests/support/testing.hpp"
#include "training/memory_refused.hpp"

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
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer itself ends a program that asks for so much";
#endif
  const std::string of_tensor = text_of([] { return at::empty({std::int64_t{1} << 52}, at::kByte); });
  EXPECT_TRUE(
      of_tensor.starts_with("out of memory: let a rank embed fewer examples at a time (training.micro_batch; 0"))
      << of_tensor;
  EXPECT_TRUE(says(of_tensor, "4503599627370496 bytes"));
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
            "fewer examples at a time (training.micro_batch; 0, the default, is its whole local batch), lower "
            "training.batch_size, lower training.max_tokens, start more ranks with a GPU each, see by nvidia-smi "
            "whether other programs hold memory of this GPU, take one with more, or give --device cpu");
  for (const char* command : {"encode", "eval", "score", "geometry"}) {
    const std::string text = text_of(refuse, command);
    EXPECT_TRUE(
        text.starts_with("out of GPU memory: 2.50 GiB are needed, GPU 3 has 79.19 GiB, and 1.06 GiB of them "
                         "free: see by nvidia-smi whether other programs hold memory of this GPU"))
        << text;
    EXPECT_EQ(text.find("training."), std::string::npos) << text;
  }
}

/// As LibTorch says it of a process that may take a part, with large gaps between blocks.
TEST(FailureText, SaysWhatLimitsAProcessOnAGpu) {
  std::string said = refused_by_gpu;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_TRUE(says(said, from));
    said.replace(said.find(from), from.size(), to);
  };
  replace("memory in use. Of the", "memory in use. 19.80 GiB allowed; Of the");
  replace("250.00 MiB", "2.00 GiB");
  const std::string text = text_of([&] { TORCH_CHECK_WITH(OutOfMemoryError, false, said); }, "train");
  EXPECT_TRUE(says(text, "and 1.06 GiB of them free; this process may take 19.80 GiB (see resources.gpus): "));
  EXPECT_TRUE(says(text,
                   "let blocks of memory grow in place, as gaps between them have 2.00 GiB "
                   "(PYTORCH_ALLOC_CONF=expandable_segments:True), "));
}

TEST(FailureText, OfGpuMemoryKeepsWhatItDoesNotKnow) {
  const std::string text = text_of([] {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate more than 1EB memory.\nx");
  });
  EXPECT_TRUE(text.starts_with("out of GPU memory: let a rank embed fewer examples at a time")) << text;
  EXPECT_TRUE(text.ends_with("(CUDA out of memory. Tried to allocate more than 1EB memory.)")) << text;
}

/// Returns the failure text of a training with these parts of memory when `refuse` was refused memory.
std::string text_with(const std::vector<MemoryPart>& parts, const std::function<void()>& refuse) {
  return text_of([&] {
    try {
      refuse();
    } catch (const std::exception&) {
      std::throw_with_nested(MemoryRefused(parts));
    }
  });
}

constexpr std::int64_t mebi = std::int64_t{1} << 20;

/// 31.25 GiB, 4.00 GiB, 512.00 MiB, nothing.
const std::vector<MemoryPart> parts_of_a_training{
    {.what = "candidates", .bytes = 512 * mebi, .growing = true, .advice = "lower candidates"},
    {.what = "activations", .bytes = 32000 * mebi, .advice = "lower activations"},
    {.what = "nothing", .bytes = 0, .advice = "lower nothing"},
    {.what = "parameters", .bytes = 4096 * mebi}};

TEST(FailureText, NamesWhatHoldsAGpusMemoryAndLowersTheLargestFirst) {
  const auto refuse = [] { TORCH_CHECK_WITH(OutOfMemoryError, false, refused_by_gpu); };
  EXPECT_EQ(text_with(parts_of_a_training, refuse),
            "out of GPU memory: 2.50 GiB are needed for candidates, GPU 3 has 79.19 GiB, and 1.06 GiB of them free; "
            "held, the largest first: activations 31.25 GiB, parameters 4.00 GiB, candidates 512.00 MiB, of 7.25 GiB "
            "in all: lower activations, lower candidates, lower training.batch_size, lower training.max_tokens, start "
            "more ranks with a GPU each, see by nvidia-smi whether other programs hold memory of this GPU, take one "
            "with more, or give --device cpu");
}

/// With the 2.50 GiB that were to come the candidates are larger than the activations.
TEST(FailureText, CountsWhatWasAskedForWithThePartThatWasToGrow) {
  std::vector<MemoryPart> parts = parts_of_a_training;
  parts[1].bytes = 3000 * mebi;
  const auto on_gpu = [] { TORCH_CHECK_WITH(OutOfMemoryError, false, refused_by_gpu); };
  EXPECT_TRUE(says(text_with(parts, on_gpu), ": lower candidates, lower activations, "));
  parts[1].bytes = 3200 * mebi;
  EXPECT_TRUE(says(text_with(parts, on_gpu), ": lower activations, lower candidates, "));
  const auto on_cpu = [](const char* bytes) {
    return [bytes] {
      TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", bytes,
                  " bytes. Error code 12 (Cannot allocate memory)");
    };
  };
  EXPECT_TRUE(says(text_with(parts, on_cpu("2818572289")), ": lower candidates, lower activations, "));
  EXPECT_TRUE(says(text_with(parts, on_cpu("2818572287")), ": lower activations, lower candidates, "));
}

TEST(FailureText, NamesWhatHoldsTheHostsMemory) {
  EXPECT_EQ(text_with({{.what = "activations", .bytes = 1536, .growing = true, .advice = embed_fewer_at_a_time},
                       {.what = "sums", .bytes = 1023}},
                      [] { throw std::bad_alloc(); }),
            "out of memory for activations; held, the largest first: activations 1.50 KiB, sums 1023 bytes: let a rank "
            "embed fewer examples at a time (training.micro_batch; 0, the default, is its whole local batch), lower "
            "training.batch_size, lower training.max_tokens, or give the ranks more memory (std::bad_alloc)");
}

/// Other commands have no batch to lower.
TEST(FailureText, AdviceFitsTheCommand) {
  const auto refuse = [] { throw std::bad_alloc(); };
  const std::string of_train = text_of(refuse, "train");
  for (const char* key : {"training.micro_batch", "training.batch_size", "training.max_tokens"})
    EXPECT_TRUE(says(of_train, key));
  for (const char* command : {"eval", "encode", "score", "geometry"}) {
    const std::string text = text_of(refuse, command);
    EXPECT_TRUE(text.starts_with("out of memory: start fewer threads per rank (--threads")) << text;
    EXPECT_EQ(text.find("training."), std::string::npos) << text;
  }
  for (const char* command : {"generate", "tokenize", "doctor"})
    EXPECT_TRUE(text_of(refuse, command).starts_with("out of memory: give the program more memory (")) << command;
}

/// As where an address space is too small for the stack of a thread.
TEST(FailureText, NamesTheLimitsOfThreadsThatAreRefused) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limit{.rlim_cur = rlim_t{1} << 46, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  const std::string text = text_of([] { throw std::system_error(EAGAIN, std::generic_category()); });
  const std::string of_memory = text_of([] { throw std::bad_alloc(); });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(
      text.starts_with("the system starts no more threads (Resource temporarily unavailable); "
                       "the limit on address space (ulimit -v) is 67108864 MB"))
      << text;
  EXPECT_TRUE(text.ends_with(": raise the limit that is reached, or give fewer --threads")) << text;
  EXPECT_TRUE(of_memory.ends_with("(std::bad_alloc); the limit on address space (ulimit -v) is 67108864 MB"))
      << of_memory;
}

TEST(FailureText, LeavesOtherErrorsAsTheyAre) {
  EXPECT_EQ(text_of([] { throw InputError("no such file"); }), "no such file");
  const std::string of_libtorch = text_of([] { at::empty({2}).add_(at::empty({3})); });
  EXPECT_TRUE(says(of_libtorch, "size of tensor"));
  EXPECT_EQ(of_libtorch.find("frame #"), std::string::npos) << of_libtorch;
}

}  // namespace
}  // namespace gausscse
