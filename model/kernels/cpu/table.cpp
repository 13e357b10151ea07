#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

template <typename T, typename Factor = T>
constexpr Kernels<T, Factor> table{.instruction_set = NAME_OF(GAUSSCSE_ISA),
                                   .embed = embed<T>,
                                   .add_grouped_rows = add_grouped_rows<T>,
                                   .add_layer_norm = add_layer_norm<T, Factor>,
                                   .add_layer_norm_backward = add_layer_norm_backward<T, Factor>,
                                   .bias_gelu = bias_gelu<T, Factor>,
                                   .gelu_backward = gelu_backward<T, Factor>,
                                   .add_column_sums = add_column_sums<T, Factor>,
                                   .attention = attention<T, Factor>,
                                   .attention_backward = attention_backward<T, Factor>,
                                   .mean_of_tokens = mean_of_tokens<T>,
                                   .mean_of_tokens_backward = mean_of_tokens_backward<T>,
                                   .max_of_tokens = max_of_tokens<T>,
                                   .max_of_tokens_backward = max_of_tokens_backward<T>,
                                   .round_to_bfloat16 = round_to_bfloat16<T>,
                                   .contrastive_loss = contrastive_loss<T>,
                                   .contrastive_see = contrastive_see<T>,
                                   .contrastive_differentiate = contrastive_differentiate<T>,
                                   .similarity = similarity<T>,
                                   .adamw = adamw<T>,
                                   .sum_of_squares = sum_of_squares<T>};

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
