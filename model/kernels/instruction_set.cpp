#include "model/kernels/instruction_set.hpp"

#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "model/kernels/block_layouts.hpp"
#include "model/kernels/classifier_kernels.hpp"
#include "model/kernels/int8_kernels.hpp"
#include "model/kernels/kernels.hpp"
#include "model/kernels/panel_matmul.hpp"
#include "model/kernels/search_kernels.hpp"

namespace gausscse::kernels {

// Files of model/kernels/cpu define these, once in each namespace: see cpu/vector.hpp.
namespace generic {
template <typename Table>
const Table& table();
}
namespace avx2 {
template <typename Table>
const Table& table();
}
namespace avx512 {
template <typename Table>
const Table& table();
}
namespace avx512_bf16 {
template <typename Table>
const Table& table();
}

namespace {

enum class InstructionSet { generic, avx2, avx512, avx512_bf16 };
constexpr std::string_view names_of_sets[] = {"generic", "avx2", "avx512", "avx512_bf16"};

InstructionSet best_of_this_processor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return __builtin_cpu_supports("avx512bf16") ? InstructionSet::avx512_bf16 : InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
  return InstructionSet::generic;
}

InstructionSet choose() {
  const InstructionSet best = best_of_this_processor();
  const char* name = std::getenv("GAUSSCSE_INSTRUCTION_SET");
  if (!name) return best;
  for (const InstructionSet set :
       {InstructionSet::generic, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::avx512_bf16}) {
    if (name != names_of_sets[static_cast<int>(set)]) continue;
    if (set <= best) return set;
    throw InputError(concat("GAUSSCSE_INSTRUCTION_SET asks for ", name, ", which this processor does not have"));
  }
  throw InputError(concat("GAUSSCSE_INSTRUCTION_SET is ", quoted(name), ": give generic, avx2, avx512 or avx512_bf16"));
}

}  // namespace

template <typename Table>
const Table& table_of_instruction_set() {
  static const InstructionSet chosen = choose();
  // No other is called: it may hold instructions that this processor lacks.
  switch (chosen) {
    case InstructionSet::avx512_bf16:
      return avx512_bf16::table<Table>();
    case InstructionSet::avx512:
      return avx512::table<Table>();
    case InstructionSet::avx2:
      return avx2::table<Table>();
    case InstructionSet::generic:
      break;
  }
  return generic::table<Table>();
}

template const Kernels<float>& table_of_instruction_set();
template const Kernels<float, Bfloat16>& table_of_instruction_set();
template const Kernels<double>& table_of_instruction_set();
template const BlockLayouts& table_of_instruction_set();
template const ClassifierKernels& table_of_instruction_set();
template const Int8Kernels& table_of_instruction_set();
template const PanelMatmul& table_of_instruction_set();
template const SearchKernels& table_of_instruction_set();

}  // namespace gausscse::kernels
