#include "model/kernels/cpu/adamw.hpp"
#include "model/kernels/cpu/attention.hpp"
#include "model/kernels/cpu/contrastive_candidates.hpp"
#include "model/kernels/cpu/contrastive_loss.hpp"
#include "model/kernels/cpu/elementwise.hpp"
#include "model/kernels/cpu/gate.hpp"
#include "model/kernels/cpu/grouped_rows.hpp"
#include "model/kernels/cpu/layer_norm.hpp"
#include "model/kernels/cpu/pooling.hpp"
#include "model/kernels/cpu/rotate.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

/// Lists all kernels for CPUs, in the order of Kernels.
template <typename T, typename Factor = T>
constexpr Kernels<T, Factor> kernels{NAME_OF(GAUSSCSE_ISA),
                                     embed<T>,
                                     add_grouped_rows<T>,
                                     add_layer_norm<T, Factor>,
                                     add_layer_norm_backward<T, Factor>,
                                     bias_gelu<T, Factor>,
                                     gelu_backward<T, Factor>,
                                     gate<T, Factor>,
                                     gate_backward<T, Factor>,
                                     rotate<T, Factor>,
                                     add_column_sums<T, Factor>,
                                     attention<T, Factor>,
                                     attention_backward<T, Factor>,
                                     mean_of_tokens<T>,
                                     mean_of_tokens_backward<T>,
                                     max_of_tokens<T>,
                                     max_of_tokens_backward<T>,
                                     round_to_bfloat16<T>,
                                     contrastive_loss<T>,
                                     contrastive_accumulate<T>,
                                     contrastive_backward<T>,
                                     similarity<T>,
                                     adamw<T>,
                                     sum_of_squares<T>};

template <>
const Kernels<float>& table() {
  return kernels<float>;
}
template <>
const Kernels<float, Bfloat16>& table() {
  return kernels<float, Bfloat16>;
}
template <>
const Kernels<double>& table() {
  return kernels<double>;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
