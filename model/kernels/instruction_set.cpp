#include "model/kernels/instruction_set.hpp"

#include <cstdlib>
#include <string_view>

#include "base/error.hpp"

namespace gausscse::kernels {

namespace {

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

}  // namespace

InstructionSet chosen_instruction_set() {
  static const InstructionSet set = chosen();
  return set;
}

}  // namespace gausscse::kernels
