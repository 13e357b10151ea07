#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "model/kernels/block_layouts.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels {

#define DECLARE_INSTRUCTION_SET(name)                 \
  namespace name {                                    \
  const Kernels<float>& float_kernels();              \
  const Kernels<float, Bfloat16>& bfloat16_kernels(); \
  const Kernels<double>& double_kernels();            \
  const BlockLayouts& block_layouts();                \
  }
DECLARE_INSTRUCTION_SET(generic)
DECLARE_INSTRUCTION_SET(avx2)
DECLARE_INSTRUCTION_SET(avx512)

namespace {

enum class InstructionSet { generic, avx2, avx512 };

InstructionSet best_of_this_processor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
  return InstructionSet::generic;
}

InstructionSet chosen() {
  const InstructionSet best = best_of_this_processor();
  const char* given = std::getenv("GAUSSCSE_INSTRUCTION_SET");
  if (!given) return best;
  const std::string_view name = given;
  InstructionSet wanted;
  if (name == "generic") {
    wanted = InstructionSet::generic;
  } else if (name == "avx2") {
    wanted = InstructionSet::avx2;
  } else if (name == "avx512") {
    wanted = InstructionSet::avx512;
  } else {
    throw InputError(concat("GAUSSCSE_INSTRUCTION_SET is ", quoted(name), ": give generic, avx2 or avx512"));
  }
  if (wanted > best)
    throw InputError(concat("GAUSSCSE_INSTRUCTION_SET asks for ", name, ", which this processor does not have"));
  return wanted;
}

/// Picked once, on the first call.
InstructionSet chosen_once() {
  static const InstructionSet set = chosen();
  return set;
}

/// Calls that of the chosen instruction set, and no other: they may hold instructions that this processor lacks.
template <typename T>
const T& of_chosen(const T& (*avx512)(), const T& (*avx2)(), const T& (*generic)()) {
  switch (chosen_once()) {
    case InstructionSet::avx512:
      return avx512();
    case InstructionSet::avx2:
      return avx2();
    case InstructionSet::generic:
      break;
  }
  return generic();
}

}  // namespace

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

}  // namespace gausscse::kernels
