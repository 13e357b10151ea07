#pragma once

namespace gausscse::kernels {

enum class InstructionSet { generic, avx2, avx512 };

/// Returns the best that this processor has, or the lesser one that GAUSSCSE_INSTRUCTION_SET names; picked once, on the
/// first call. Throws InputError for a name that is none, or a set that the processor lacks.
InstructionSet chosen_instruction_set();

/// Calls that of the chosen instruction set, and no other: they may hold instructions that this processor lacks.
template <typename T>
const T& of_chosen(const T& (*avx512)(), const T& (*avx2)(), const T& (*generic)()) {
  switch (chosen_instruction_set()) {
    case InstructionSet::avx512:
      return avx512();
    case InstructionSet::avx2:
      return avx2();
    case InstructionSet::generic:
      break;
  }
  return generic();
}

}  // namespace gausscse::kernels
