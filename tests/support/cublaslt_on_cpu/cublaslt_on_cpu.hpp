#pragma once

#include <cstddef>
#include <cstdint>

/// cuBLASLt's functions in the memory of a pretended GPU, strict about how they are to be called. An object that is
/// used after its end, sizes, types or strides that do not fit, an algorithm of another matmul, memory that is not
/// allocated, not aligned as was promised, or that overlaps the result, throws std::logic_error. What the library
/// refuses has its status.
namespace cublaslt_on_cpu {

/// Behaviour of the library.
struct Behaviour {
  bool sums_columns = true;             ///< it has algorithms for CUBLASLT_EPILOGUE_BGRADB
  bool multiplies = true;               ///< it has algorithms for the rest
  bool takes_only_asked_sizes = false;  ///< an algorithm refuses other sizes than those it was asked for with
  int failure = 0;                      ///< status of matmuls with sizes that an algorithm takes; 0: they succeed
  std::size_t workspace = 96;           ///< bytes that each algorithm takes, and fills with NaN
};
Behaviour& behaviour();

/// Numbers of calls since the program began.
struct Counts {
  std::int64_t questions = 0;  ///< for an algorithm
  std::int64_t matmuls = 0;
  std::int64_t with_sums = 0;  ///< matmuls that also summed columns
};
Counts& counts();

/// Returns the number of objects, handles among them, that were made and not destroyed.
std::size_t live_objects();

}  // namespace cublaslt_on_cpu
