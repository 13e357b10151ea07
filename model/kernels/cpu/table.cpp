#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

/// A kernel with the context that those of CPUs do not need.
template <auto kernel>
struct OnCpu;
template <typename... Arguments, void (*kernel)(Arguments...)>
struct OnCpu<kernel> {
  static void run(const KernelContext&, Arguments... arguments) { kernel(arguments...); }
};

template <typename T, typename Factor = T>
constexpr Kernels<T, Factor> table{.instruction_set = NAME_OF(GAUSSCSE_ISA),
                                   .embed = OnCpu<embed<T>>::run,
                                   .add_grouped_rows = OnCpu<add_grouped_rows<T>>::run,
                                   .add_layer_norm = OnCpu<add_layer_norm<T, Factor>>::run,
                                   .add_layer_norm_backward = OnCpu<add_layer_norm_backward<T, Factor>>::run,
                                   .bias_gelu = OnCpu<bias_gelu<T, Factor>>::run,
                                   .gelu_backward = OnCpu<gelu_backward<T, Factor>>::run,
                                   .add_column_sums = OnCpu<add_column_sums<T, Factor>>::run,
                                   .attention = OnCpu<attention<T, Factor>>::run,
                                   .attention_backward = OnCpu<attention_backward<T, Factor>>::run,
                                   .mean_of_tokens = OnCpu<mean_of_tokens<T>>::run,
                                   .mean_of_tokens_backward = OnCpu<mean_of_tokens_backward<T>>::run,
                                   .max_of_tokens = OnCpu<max_of_tokens<T>>::run,
                                   .max_of_tokens_backward = OnCpu<max_of_tokens_backward<T>>::run,
                                   .round_to_bfloat16 = OnCpu<round_to_bfloat16<T>>::run,
                                   .contrastive_loss = OnCpu<contrastive_loss<T>>::run,
                                   .contrastive_see = OnCpu<contrastive_see<T>>::run,
                                   .contrastive_differentiate = OnCpu<contrastive_differentiate<T>>::run,
                                   .similarity = OnCpu<similarity<T>>::run,
                                   .adamw = OnCpu<adamw<T>>::run,
                                   .sum_of_squares = OnCpu<sum_of_squares<T>>::run};

const Kernels<float>& float_kernels() {
  return table<float>;
}
const Kernels<float, Bfloat16>& bfloat16_kernels() {
  return table<float, Bfloat16>;
}
const Kernels<double>& double_kernels() {
  return table<double>;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
