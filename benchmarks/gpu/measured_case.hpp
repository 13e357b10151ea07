#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gausscse::benchmarks {

/// Arithmetic of a case's operations.
enum class Arithmetic { float32, matmuls };

/// The least that a kernel must do: bytes that it has to read from memory or to write to it, each once, and its
/// operations. Operations are of float32: an addition, a multiplication or a comparison is one, an instruction for
/// integers two, as it takes the place of a multiplication with addition, a special function `special_function`.
struct Cost {
  double bytes = 0;
  double operations = 0;
  Arithmetic arithmetic = Arithmetic::float32;
};

/// Reciprocal, root, exponential or logarithm: a multiprocessor does 16 a cycle, in which it does 128 multiplications
/// with additions.
constexpr double special_function = 16;
/// For an element that dropout acts on: 10 rounds of Philox, each with two wide
/// multiplications, two exclusive ors of three words and two additions of the key, give the words of four elements. A
/// comparison and a multiplication follow.
constexpr double dropout_mask = 10 * 6 * 2 / 4.0 + 2;

/// A case with its memory, ready to be run again and again.
struct MeasuredCase {
  Cost cost;
  std::function<void()> run;
};

/// A case before its memory is there. Names are KERNEL/MODEL or SIZE/TYPE/..., each once.
struct NamedCase {
  std::string name;
  std::function<MeasuredCase()> make;
};
using CaseList = std::vector<NamedCase>;

/// Sizes of the tensors that are measured.
struct Workload {
  at::Device device;
  bool small;                  ///< sizes that show that everything runs; their times mean nothing
  std::int64_t triples = 512;  ///< triples whose sentences make the rows of layers

  std::int64_t sentences() const { return small ? 24 : 3 * triples; }
};

/// Kernels with a row for each token, and pooling.
void add_row_cases(const Workload& workload, CaseList& cases);
/// Adds attention, of short sentences and of long ones, and on a GPU LibTorch's next to it.
void add_attention_cases(const Workload& workload, CaseList& cases);
/// Adds the Gaussian loss and similarity.
void add_loss_cases(const Workload& workload, CaseList& cases);
void add_optimizer_cases(const Workload& workload, CaseList& cases);
/// Adds matrix products of a layer by LibTorch; of bfloat16 on a GPU only, where float32 comes out of them.
void add_product_cases(const Workload& workload, CaseList& cases);

}  // namespace gausscse::benchmarks
