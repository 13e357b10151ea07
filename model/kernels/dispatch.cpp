#include "model/kernels/block_layouts.hpp"
#include "model/kernels/classifier_kernels.hpp"
#include "model/kernels/instruction_set.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels {

#define DECLARE_INSTRUCTION_SET(name)                 \
  namespace name {                                    \
  const Kernels<float>& float_kernels();              \
  const Kernels<float, Bfloat16>& bfloat16_kernels(); \
  const Kernels<double>& double_kernels();            \
  const BlockLayouts& block_layouts();                \
  const ClassifierKernels& classifier_kernels();      \
  }
DECLARE_INSTRUCTION_SET(generic)
DECLARE_INSTRUCTION_SET(avx2)
DECLARE_INSTRUCTION_SET(avx512)

template <>
const Kernels<float>& kernel_table<float>() {
  return of_chosen(avx512::float_kernels, avx2::float_kernels, generic::float_kernels);
}

template <>
const Kernels<float, Bfloat16>& kernel_table<float, Bfloat16>() {
  return of_chosen(avx512::bfloat16_kernels, avx2::bfloat16_kernels, generic::bfloat16_kernels);
}

template <>
const Kernels<double>& kernel_table<double>() {
  return of_chosen(avx512::double_kernels, avx2::double_kernels, generic::double_kernels);
}

const BlockLayouts& block_layouts() {
  return of_chosen(avx512::block_layouts, avx2::block_layouts, generic::block_layouts);
}

const ClassifierKernels& classifier_kernels() {
  return of_chosen(avx512::classifier_kernels, avx2::classifier_kernels, generic::classifier_kernels);
}

}  // namespace gausscse::kernels
