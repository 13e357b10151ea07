#pragma once

namespace gausscse::kernels {

/// Returns the table of functions, such as Kernels<float>, of the best instruction set that this processor has, or of
/// the lesser one that GAUSSCSE_INSTRUCTION_SET names (avx512, avx2 or generic). The set is picked once, on the first
/// call. Throws InputError for a name that is none, or a set that the processor lacks.
template <typename Table>
const Table& table_of_instruction_set();

}  // namespace gausscse::kernels
