#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <csignal>

#include "model/batch/packed_batch.hpp"
#include "model/device/transfers.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const at::Device gpu(at::kCUDA, 0);

TEST(PretendedGpu, ComputesAsTheCpu) {
  const at::Tensor x = at::arange(24, at::kFloat).view({4, 6}), y = x.cos();
  const at::Tensor on_gpu = x.to(gpu);
  EXPECT_TRUE(on_gpu.is_cuda());
  EXPECT_TRUE(on_gpu.cos().cpu().equal(y));
  EXPECT_TRUE(on_gpu.narrow(1, 2, 3)
                  .t()
                  .mm(on_gpu.select(1, 0).unsqueeze(1))
                  .cpu()
                  .equal(x.narrow(1, 2, 3).t().mm(x.select(1, 0).unsqueeze(1))));
  at::Tensor sum = at::zeros_like(on_gpu);
  sum.narrow(0, 1, 2).add_(on_gpu.narrow(0, 0, 2), 2);
  EXPECT_TRUE(sum.narrow(0, 1, 2).cpu().equal(2 * x.narrow(0, 0, 2)));
  EXPECT_EQ(on_gpu.sum().item<float>(), 276);
}

TEST(PretendedGpuDeathTest, TheHostMayNotTouchItsMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const at::Tensor values = at::ones({3}, gpu);
  EXPECT_EXIT(std::exit(values.const_data_ptr<float>()[0] == 1 ? 0 : 1), testing::KilledBySignal(SIGSEGV), "");
}

TEST(PretendedGpu, OperatorsTakeTensorsOfOneDevice) {
  const at::Tensor on_gpu = at::ones({2}, gpu), on_cpu = at::ones({2});
  EXPECT_THROW(static_cast<void>(on_gpu + on_cpu), c10::Error);
  EXPECT_EQ((on_gpu + at::scalar_tensor(2.0)).sum().item<double>(), 6);
}

TEST(PretendedGpu, NewMemoryIsNaN) {
  EXPECT_TRUE(at::empty({100}, at::TensorOptions(gpu)).isnan().all().item<bool>());
}

TEST(PretendedGpu, ACopyToTheHostIsThereWhenItWasWaitedFor) {
  at::Tensor values = at::full({2}, 7.0, at::TensorOptions(gpu));
  ops::HostCopy copy(values);
  values.fill_(9);
  const auto before = pretended_gpu::counts().waits;
  EXPECT_TRUE(copy.get().equal(at::full({2}, 7.0)));
  EXPECT_EQ(pretended_gpu::counts().waits, before + 1);
  EXPECT_TRUE(copy.get().equal(at::full({2}, 7.0)));
  EXPECT_EQ(pretended_gpu::counts().waits, before + 1) << "waited for already";
}

TEST(PretendedGpu, ManyTensorsTravelInOneCopy) {
  at::Tensor ids = at::arange(5, at::kInt), rows = at::arange(3, at::kLong), none, nothing = at::empty({0}, at::kInt),
             matrix = at::arange(6, at::kFloat).view({2, 3}).t();
  const at::Tensor moved_ids = ids, moved_rows = rows, moved_matrix = matrix;
  const auto before = pretended_gpu::counts();
  const ops::Upload upload({&ids, &rows, &none, &nothing, &matrix}, gpu);
  EXPECT_EQ(upload.bytes(), 32 + 32 + 32) << "each begins at a multiple of 16";
  EXPECT_EQ(pretended_gpu::counts().waits, before.waits);
  EXPECT_EQ(pretended_gpu::counts().copies_to_gpu, before.copies_to_gpu + 1);
  EXPECT_TRUE(matrix.is_cpu() && matrix.equal(moved_matrix));
  EXPECT_EQ(pretended_gpu::counts().kept_for_the_default_stream, before.kept_for_the_default_stream);
  for (int time = 0; time < 2; ++time) {
    at::Tensor these_ids = ids, these_rows = rows, this_none, this_nothing = nothing, this_matrix = matrix;
    upload.arrive({&these_ids, &these_rows, &this_none, &this_nothing, &this_matrix});
    EXPECT_TRUE(these_ids.is_cuda() && these_ids.cpu().equal(moved_ids));
    EXPECT_TRUE(these_rows.cpu().equal(moved_rows));
    EXPECT_TRUE(this_matrix.cpu().equal(moved_matrix));
    EXPECT_FALSE(this_none.defined());
    EXPECT_TRUE(this_nothing.is_cuda() && this_nothing.numel() == 0);
  }
  EXPECT_EQ(pretended_gpu::counts().copies_to_gpu, before.copies_to_gpu + 1);
  EXPECT_EQ(pretended_gpu::counts().kept_for_the_default_stream, before.kept_for_the_default_stream + 2);
  at::Tensor other = at::arange(5);
  EXPECT_THROW(upload.arrive({&other}), std::logic_error);
  at::Tensor there = at::ones({2}, gpu);
  EXPECT_THROW(ops::Upload({&there}, gpu), std::logic_error);
}

/// Its stream is not that of kernels: these are not kept waiting.
TEST(PretendedGpu, AnUploadIsThereWhenItWasAskedFor) {
  at::Tensor values = at::ones({4}), here = values, without_waiting = values;
  const ops::Upload upload({&values}, gpu);
  const at::Tensor by_another_stream = [&] {
    const c10::StreamGuard stream(c10::impl::VirtualGuardImpl(at::kCUDA).getStreamFromGlobalPool(gpu));
    at::Tensor there = values;
    upload.arrive({&there});
    return there;
  }();
  EXPECT_TRUE(by_another_stream.isnan().all().item<bool>());
  upload.arrive({&values});
  EXPECT_TRUE(values.cpu().equal(here));
  EXPECT_TRUE(by_another_stream.cpu().equal(here)) << "it is the same memory";
}

TEST(PretendedGpu, ASingleTensorIsCopiedInTheOrderOfKernels) {
  const at::Tensor rows = at::arange(6).view({2, 3}).t();
  const auto before = pretended_gpu::counts();
  EXPECT_TRUE(ops::to_device(rows, gpu).cpu().equal(rows));
  EXPECT_EQ(pretended_gpu::counts().copies_to_gpu, before.copies_to_gpu + 1);
  EXPECT_EQ(pretended_gpu::counts().pinned_memories, before.pinned_memories + 1);
  EXPECT_EQ(pretended_gpu::counts().waits, before.waits + 1) << "for the copy back";
  EXPECT_TRUE(ops::to_device(rows, at::kCPU).is_same(rows));
  EXPECT_THROW(ops::to_device(at::ones({2}, gpu), gpu), std::logic_error);
}

/// All of it is made beforehand, and on its way: nothing is left to do.
TEST(PretendedGpu, PreparedBatchesAreOnTheirWay) {
  const std::vector<std::uint32_t> ids{7, 3, 7, 9, 3, 7}, offsets{0, 2, 6};
  const PackedBatch packed = pack_sentences(ids, offsets, {}, 1);
  EXPECT_FALSE(packed.prepared_for(gpu, false).tokens_of_words.rows.defined());
  const PackedBatch prepared = packed.prepared_for(gpu, true);
  EXPECT_TRUE(prepared.ids.is_cpu());
  EXPECT_TRUE(prepared.tokens_of_words.targets.equal(at::tensor({3, 7, 9}, at::kLong)));
  EXPECT_TRUE(prepared.tokens_of_words.offsets.equal(at::tensor({0, 2, 5, 6}, at::kLong)));
  EXPECT_TRUE(prepared.tokens_of_words.rows.equal(at::tensor({1, 4, 0, 2, 5, 3}, at::kLong)));
  EXPECT_TRUE(prepared.tokens_of_positions.rows.equal(at::tensor({0, 2, 1, 3, 4, 5}, at::kLong)));
  EXPECT_TRUE(prepared.tokens_of_positions.targets.equal(at::tensor({1, 2, 3, 4}, at::kLong)));
  const auto before_on = pretended_gpu::counts();
  prepared.on(gpu, true);
  EXPECT_EQ(pretended_gpu::counts().pinned_memories, before_on.pinned_memories);
  for (const PackedBatch& batch : {prepared, packed, packed.prepared_for(gpu, false)}) {
    const auto before = pretended_gpu::counts();
    const PackedBatch there = batch.on(gpu, true);
    EXPECT_EQ(pretended_gpu::counts().copies_to_gpu,
              before.copies_to_gpu + (batch.tokens_of_words.rows.defined() ? 0 : 1));
    EXPECT_TRUE(there.ids.cpu().equal(packed.ids) && there.first_tokens.cpu().equal(packed.first_tokens));
    EXPECT_TRUE(there.row_samples.cpu().equal(packed.row_samples) && there.samples.cpu().equal(packed.samples));
    EXPECT_TRUE(there.positions.cpu().equal(packed.positions) && there.offsets.cpu().equal(packed.offsets));
    EXPECT_TRUE(there.tokens_of_words.rows.cpu().equal(prepared.tokens_of_words.rows));
    EXPECT_TRUE(there.tokens_of_words.offsets.cpu().equal(prepared.tokens_of_words.offsets));
    EXPECT_TRUE(there.tokens_of_words.targets.cpu().equal(prepared.tokens_of_words.targets));
    EXPECT_TRUE(there.tokens_of_positions.rows.cpu().equal(prepared.tokens_of_positions.rows));
    EXPECT_TRUE(there.tokens_of_positions.offsets.cpu().equal(prepared.tokens_of_positions.offsets));
    EXPECT_TRUE(there.tokens_of_positions.targets.cpu().equal(prepared.tokens_of_positions.targets));
    EXPECT_FALSE(there.upload || there.attended.defined());
    EXPECT_EQ(there.longest, 4);
  }
}

/// Classes of up to 16, 32, 48 and 64 tokens, and the longer sentences behind them.
TEST(PretendedGpu, BatchesAreInTheOrderOfTheirLengths) {
  std::vector<std::uint32_t> offsets{0};
  for (const std::uint32_t length : {64, 16, 65, 17, 1, 32, 33, 49, 200, 16})
    offsets.push_back(offsets.back() + length);
  const PackedBatch packed = pack_sentences(std::vector<std::uint32_t>(offsets.back(), 5), offsets, {}, 0);
  EXPECT_FALSE(packed.on(at::kCPU, true).by_length.defined());
  EXPECT_EQ(packed.shape().classes.sentences, nullptr);
  const PackedBatch there = packed.on(gpu, false);
  EXPECT_TRUE(there.by_length.cpu().equal(at::tensor({1, 4, 9, 3, 5, 6, 0, 7, 2, 8}, at::kInt)));
  const kernels::LengthClasses classes = there.shape().classes;
  EXPECT_EQ(classes.sentences, there.by_length.const_data_ptr<std::int32_t>());
  EXPECT_EQ(std::vector<std::int64_t>(std::begin(classes.first), std::end(classes.first)),
            (std::vector<std::int64_t>{0, 3, 5, 6, 8}));
}

}  // namespace
}  // namespace gausscse
