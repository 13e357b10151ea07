#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gausscse {

/// Which triples of the global batch a rank answers for.
struct AnchorRange {
  std::int64_t begin;
  std::int64_t end;
};

/// A training objective: the embeddings of the global batch in, a loss and its gradient out.
class Objective {
 public:
  virtual ~Objective() = default;
  /// How many sentences of a triple it needs, of premise, entailment and contradiction in this order; the others need
  /// not be embedded.
  virtual std::int64_t roles() const = 0;
  /// `embeddings` [roles, batch, width], the same on all ranks. Returns the part of the loss that the triples `own`
  /// contribute (parts of all ranks add up to the loss), and overwrites `gradient`, of the same shape, with that
  /// part's gradient by ALL embeddings.
  virtual double evaluate(const at::Tensor& embeddings, AnchorRange own, at::Tensor gradient) const = 0;
};

}  // namespace gausscse
