#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

template <typename T>
constexpr Kernels<T> table{.instruction_set = NAME_OF(GAUSSCSE_ISA),
                           .embed = embed<T>,
                           .add_grouped_rows = add_grouped_rows<T>,
                           .add_layer_norm = add_layer_norm<T>,
                           .add_layer_norm_backward = add_layer_norm_backward<T>,
                           .bias_gelu = bias_gelu<T>,
                           .gelu_backward = gelu_backward<T>,
                           .add_column_sums = add_column_sums<T>,
                           .attention = attention<T>,
                           .attention_backward = attention_backward<T>,
                           .round_to_bfloat16 = round_to_bfloat16<T>,
                           .contrastive_loss = contrastive_loss<T>,
                           .similarity = similarity<T>,
                           .adamw = adamw<T>,
                           .sum_of_squares = sum_of_squares<T>};

const Kernels<float>& float_kernels() {
  return table<float>;
}
const Kernels<double>& double_kernels() {
  return table<double>;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
