#include "model/kernels/cuda/table.cuh"
#include "model/kernels/cuda/table.hpp"
#include "tests/support/pretended_gpu/memory.hpp"

// These stand in for model/kernels/cuda/table.cu.
namespace gausscse::kernels::cuda {

namespace {

/// A kernel that may touch the GPU's memory.
template <auto kernel>
struct OnGpu;
template <typename... Arguments, void (*kernel)(const KernelContext&, Arguments...)>
struct OnGpu<kernel> {
  static void run(const KernelContext& context, Arguments... arguments) {
    const pretended_gpu::Access access;
    kernel(context, arguments...);
  }
};

template <typename T, typename Factor = T>
constexpr Kernels<T, Factor> pretended{.instruction_set = "cuda, pretended",
                                       .embed = OnGpu<embed<T>>::run,
                                       .add_grouped_rows = OnGpu<add_grouped_rows<T>>::run,
                                       .add_layer_norm = OnGpu<add_layer_norm<T, Factor>>::run,
                                       .add_layer_norm_backward = OnGpu<add_layer_norm_backward<T, Factor>>::run,
                                       .bias_gelu = OnGpu<bias_gelu<T, Factor>>::run,
                                       .gelu_backward = OnGpu<gelu_backward<T, Factor>>::run,
                                       .add_column_sums = OnGpu<add_column_sums<T, Factor>>::run,
                                       .attention = OnGpu<attention<T, Factor>>::run,
                                       .attention_backward = OnGpu<attention_backward<T, Factor>>::run,
                                       .mean_of_tokens = OnGpu<mean_of_tokens<T>>::run,
                                       .mean_of_tokens_backward = OnGpu<mean_of_tokens_backward<T>>::run,
                                       .max_of_tokens = OnGpu<max_of_tokens<T>>::run,
                                       .max_of_tokens_backward = OnGpu<max_of_tokens_backward<T>>::run,
                                       .round_to_bfloat16 = OnGpu<round_to_bfloat16<T>>::run,
                                       .contrastive_loss = OnGpu<contrastive_loss<T>>::run,
                                       .contrastive_see = OnGpu<contrastive_see<T>>::run,
                                       .contrastive_differentiate = OnGpu<contrastive_differentiate<T>>::run,
                                       .similarity = OnGpu<similarity<T>>::run,
                                       .adamw = OnGpu<adamw<T>>::run,
                                       .sum_of_squares = OnGpu<sum_of_squares<T>>::run};

}  // namespace

const Kernels<float>& float_kernels() {
  return pretended<float>;
}

const Kernels<float, Bfloat16>& bfloat16_kernels() {
  return pretended<float, Bfloat16>;
}

}  // namespace gausscse::kernels::cuda
