#include "tests/support/pretended_gpu/kernels.hpp"

#include <atomic>

#include "model/kernels/cuda/table.hpp"
#include "tests/support/pretended_gpu/memory.hpp"

// These stand in for model/kernels/cuda/table.cu.
namespace gausscse::kernels::cuda {

namespace {

/// A kernel that may touch the GPU's memory.
template <auto kernel>
struct OnGpu;
template <typename T, typename Factor, typename... Arguments, void (*Kernels<T, Factor>::*kernel)(Arguments...)>
struct OnGpu<kernel> {
  static void run(Arguments... arguments) {
    const pretended_gpu::Access access;
    ++std::atomic_ref(pretended_gpu::counts().kernels);
    (pretended_gpu::kernels_behind<T, Factor>().*kernel)(arguments...);
  }
};

template <typename T, typename Factor = T, typename K = Kernels<T, Factor>>
constexpr K pretended{.instruction_set = "cuda, pretended",
                      .embed = OnGpu<&K::embed>::run,
                      .add_grouped_rows = OnGpu<&K::add_grouped_rows>::run,
                      .add_layer_norm = OnGpu<&K::add_layer_norm>::run,
                      .add_layer_norm_backward = OnGpu<&K::add_layer_norm_backward>::run,
                      .bias_gelu = OnGpu<&K::bias_gelu>::run,
                      .gelu_backward = OnGpu<&K::gelu_backward>::run,
                      .gate = OnGpu<&K::gate>::run,
                      .gate_backward = OnGpu<&K::gate_backward>::run,
                      .rotate = OnGpu<&K::rotate>::run,
                      .add_column_sums = OnGpu<&K::add_column_sums>::run,
                      .attention = OnGpu<&K::attention>::run,
                      .attention_backward = OnGpu<&K::attention_backward>::run,
                      .mean_of_tokens = OnGpu<&K::mean_of_tokens>::run,
                      .mean_of_tokens_backward = OnGpu<&K::mean_of_tokens_backward>::run,
                      .max_of_tokens = OnGpu<&K::max_of_tokens>::run,
                      .max_of_tokens_backward = OnGpu<&K::max_of_tokens_backward>::run,
                      .round_to_bfloat16 = OnGpu<&K::round_to_bfloat16>::run,
                      .contrastive_loss = OnGpu<&K::contrastive_loss>::run,
                      .contrastive_accumulate = OnGpu<&K::contrastive_accumulate>::run,
                      .contrastive_backward = OnGpu<&K::contrastive_backward>::run,
                      .similarity = OnGpu<&K::similarity>::run,
                      .adamw = OnGpu<&K::adamw>::run,
                      .sum_of_squares = OnGpu<&K::sum_of_squares>::run};

}  // namespace

const Kernels<float>& float_kernels() {
  return pretended<float>;
}

const Kernels<float, Bfloat16>& bfloat16_kernels() {
  return pretended<float, Bfloat16>;
}

}  // namespace gausscse::kernels::cuda
