#include "experiments/evaluation/transfer/classifier_kernels.hpp"
#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

namespace generic {
const ClassifierKernels& classifier_kernels();
}
namespace avx2 {
const ClassifierKernels& classifier_kernels();
}
namespace avx512 {
const ClassifierKernels& classifier_kernels();
}

const ClassifierKernels& classifier_kernels() {
  return of_chosen(avx512::classifier_kernels, avx2::classifier_kernels, generic::classifier_kernels);
}

}  // namespace gausscse::kernels
