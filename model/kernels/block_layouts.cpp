#include "model/kernels/block_layouts.hpp"

#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

namespace generic {
const BlockLayouts& block_layouts();
}
namespace avx2 {
const BlockLayouts& block_layouts();
}
namespace avx512 {
const BlockLayouts& block_layouts();
}

const BlockLayouts& block_layouts() {
  return of_chosen(avx512::block_layouts, avx2::block_layouts, generic::block_layouts);
}

}  // namespace gausscse::kernels
