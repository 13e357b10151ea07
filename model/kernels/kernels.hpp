#pragma once

#include <cstddef>
#include <cstdint>

#include "model/kernels/activation.hpp"
#include "model/kernels/adamw.hpp"
#include "model/kernels/attention_arguments.hpp"
#include "model/kernels/bfloat16.hpp"
#include "model/kernels/candidate_mask.hpp"
#include "model/kernels/instruction_set.hpp"
#include "model/kernels/row_shards.hpp"
#include "model/similarities/similarity.hpp"

namespace gausscse::kernels {

/// Memory on a device that a kernel needs while it runs.
class ScratchMemory {
 public:
  virtual ~ScratchMemory() = default;
  /// Returns at least `bytes` bytes, aligned for any type; valid until the next call.
  virtual void* get(std::size_t bytes) = 0;
  /// Returns the number of bytes that it holds now.
  virtual std::size_t bytes() const = 0;
};

/// Place where kernels run: on CPUs in the thread that calls them, where nothing of it is needed. On a GPU they are
/// only put into a queue, and all pointers that they are given, but for the fields of RowShards, lead to the GPU's
/// memory.
struct KernelContext {
  void* stream = nullptr;            ///< a cudaStream_t
  ScratchMemory* scratch = nullptr;  ///< used by this stream alone
};
constexpr KernelContext on_cpu;

/// Rows that dropout acts on: row r belongs to sentence `sentence[r]` and is its token `position[r]`.
struct RowIdentity {
  const std::uint32_t* sample;
  const std::uint32_t* position;
};

/// Rows of a matrix in groups that belong to one row of a table each. Group g is the rows rows[i], i from offsets[g] to
/// offsets[g + 1], rising, and belongs to row targets[g].
struct RowGroups {
  const std::int64_t* rows;
  const std::int64_t* offsets;
  const std::int64_t* targets;
  std::int64_t count;
};

/// Denominators besides V_E, see method: contradiction (V_C) and reversed (V_R).
struct ContrastiveTerms {
  bool contradiction;
  bool reversed;

  /// Roles of a triple that the loss reads: premise, entailment and, for V_C, contradiction.
  int roles() const { return contradiction ? 3 : 2; }
};

/// Some anchors and a block of candidates of the contrastive loss: rows of [mean | log_var], 2*dimension wide, for each
/// of the terms' roles.
template <typename T>
struct ContrastiveCandidates {
  const T* anchor_rows[3];
  std::int64_t anchors;
  const T* candidate_rows[3];
  std::int64_t candidates;
  std::int64_t first_own;  ///< the candidate of the first anchor's own number, may lie outside of the block
  std::int64_t dimension;
  double temperature;
  Similarity similarity;  ///< similarity of Gaussians
  ContrastiveTerms terms;
  CandidateMask mask = {};  ///< candidates that count neither in the softmax nor in the gradient
};

/// For each anchor, over the candidates seen so far: the largest similarity (at first -infinity), the sum of
/// exp((similarity - largest) / temperature), and the similarity of its positive candidate.
struct RunningSoftmax {
  double *largest, *sum, *positive;
};

/// The compute kernels for one scalar type, and one instruction set or kind of GPU. Kernels of CPUs are multi-threaded
/// with OpenMP and give the same bits for any number of threads. Those of GPUs take RowShards of a single shard, and
/// give the same bits from run to run.
///
/// `Factor` is the type of the factors of matrix products and of their results: T, or Bfloat16 next to float. Kernels
/// compute in T and round their results to factors.
template <typename T, typename Factor = T>
struct Kernels {
  const char* instruction_set;

  /// Computes out[r] = word[ids[r]] + position[positions[r]] + token_type, rows of width `hidden`; `position` and
  /// `token_type` may be null.
  void (*embed)(const KernelContext&, const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
                const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out);
  /// Adds the sum over each group's rows of `x`, rows of `width`, to the group's row of `table`.
  void (*add_grouped_rows)(const KernelContext&, const T* x, RowGroups groups, RowShards shards, std::int64_t width,
                           T* table);

  /// Computes out = layer_norm(dropout(x + bias) + residual) * gamma + beta, and then `output_dropout`; `factor` is the
  /// same once more, and `sum` what is normalised: dropout(x + bias) + residual. x with its bias, or the residual, may
  /// be null, and `factor` and `sum`. Keeps `normalized` (before gamma) and `inverse_deviation` for the backward; both
  /// may be null.
  void (*add_layer_norm)(const KernelContext&, const Factor* x, const T* bias, const T* residual, const T* gamma,
                         const T* beta, double epsilon, const DropoutSite& dropout, const DropoutSite& output_dropout,
                         RowIdentity identity, std::int64_t rows, std::int64_t hidden, T* out, Factor* factor, T* sum,
                         T* normalized, T* inverse_deviation);
  /// Computes the backward of `add_layer_norm` for the gradient grad_out + grad_addend (may be null). With `of_sum`,
  /// grad_out is the gradient of `sum` instead, and grad_addend that of `out`. There is no output dropout then.
  /// grad_residual gets the gradient of the sum (= that of the residual), and may be `grad_out` where grad_x is null.
  /// grad_x gets that of x. The gradients of gamma, beta and, where grad_x is not null, bias are added to grad_gamma,
  /// grad_beta and grad_bias, of which the last two may be null. `grad_out` is overwritten.
  void (*add_layer_norm_backward)(const KernelContext&, T* grad_out, const Factor* grad_addend, bool of_sum,
                                  const T* normalized, const T* inverse_deviation, const T* gamma,
                                  const DropoutSite& dropout, const DropoutSite& output_dropout, RowIdentity identity,
                                  RowShards rows, std::int64_t hidden, T* grad_residual, Factor* grad_x, T* grad_gamma,
                                  T* grad_beta, T* grad_bias);

  /// Computes out = gelu(x + bias) in the form with erf: float64 by the library's, float32 by a polynomial with an
  /// error below 3e-7 max(1, |x|), before it is rounded to a factor.
  void (*bias_gelu)(const KernelContext&, const Factor* x, const T* bias, std::int64_t rows, std::int64_t width,
                    Factor* out);
  /// Computes grad = grad * gelu'(x + bias), in place; grad_bias is added to. `activation` receives gelu(x + bias) once
  /// more. In float32 the derivative's error is below 1e-6.
  void (*gelu_backward)(const KernelContext&, Factor* grad, const Factor* x, const T* bias, RowShards rows,
                        std::int64_t width, T* grad_bias, Factor* activation);

  /// Computes out = activation(a) * b of rows x = [a | b], twice `width` wide.
  void (*gate)(const KernelContext&, Activation activation, const Factor* x, std::int64_t rows, std::int64_t width,
               Factor* out);
  /// Computes the backward of `gate`: grad_x [rows, 2*width] is overwritten, and `out` receives its result once more.
  void (*gate_backward)(const KernelContext&, Activation activation, const Factor* grad, const Factor* x,
                        std::int64_t rows, std::int64_t width, Factor* grad_x, Factor* out);

  /// Turns the columns of each head of row r, [a | b] of head_size / 2 columns each, to [a cos - b sin | b cos + a
  /// sin]. Row positions[r] of `angles`, head_size wide, has the cosines and then the sines. The sines are multiplied
  /// by `direction`: 1, or -1 for the backward. See rotary positions: Su et al. 2021, RoFormer.
  void (*rotate)(const KernelContext&, Factor* x, const RotatedColumns& columns, const T* angles,
                 const std::uint32_t* positions, double direction);

  /// Computes sum[c] += sum over rows of x[r][c].
  void (*add_column_sums)(const KernelContext&, const Factor* x, RowShards rows, std::int64_t width, T* sum);

  /// Computes attention over qkv + bias [3*hidden]. `relative_bias` [buckets, heads], or null, is added to scaled
  /// scores by the bucket of the key's place relative to the query's (relative_position.hpp).
  ///
  /// `statistics` [queries, heads, 2], or null, is for the backward. Kernels for GPUs write there, for sentences of
  /// more than short_attention_tokens tokens (gpu_attention.hpp), two numbers by which the backward makes scores
  /// probabilities again. The first is the query's largest score, or one near it, in units of the kernel. The second is
  /// 1 / sum over the keys of the exponentials of scores less the first. Kernels of CPUs write nothing.
  void (*attention)(const KernelContext&, const Attention& arguments, const Factor* qkv, const T* bias,
                    const T* relative_bias, Factor* context, T* statistics);
  /// Computes the backward of `attention`. `context` and `statistics` are those of the forward with the same arguments.
  /// They are read where the forward writes statistics, and may be null elsewhere. grad_qkv is overwritten;
  /// grad_relative_bias [sentences, buckets, heads], which is not looked at where `relative_bias` is null, is added to.
  /// Every token must be attended to.
  void (*attention_backward)(const KernelContext&, const Attention& arguments, const Factor* qkv, const T* bias,
                             const T* relative_bias, const Factor* context, const T* statistics,
                             const Factor* grad_context, Factor* grad_qkv, T* grad_relative_bias);

  /// Computes out[s] = mean of the rows of x that are tokens of sentence s, but for its first `left_out`; 0 where none
  /// is left.
  void (*mean_of_tokens)(const KernelContext&, const T* x, const PackedShape& shape, std::int64_t left_out,
                         std::int64_t width, T* out);
  /// Computes the backward of `mean_of_tokens`; grad_x is overwritten.
  void (*mean_of_tokens_backward)(const KernelContext&, const T* grad, const PackedShape& shape, std::int64_t left_out,
                                  std::int64_t width, T* grad_x);
  /// Computes out[s][c] = maximum of x[t][c] over the tokens t of sentence s, NaN where there is one. token[s][c] is
  /// the first t that has it, of several NaN the last. They are 0 and -1 where the sentence has no tokens.
  void (*max_of_tokens)(const KernelContext&, const T* x, const PackedShape& shape, std::int64_t width, T* out,
                        std::int32_t* token);
  /// Computes the backward of `max_of_tokens`; grad_x is overwritten: each element of `grad` goes to the token that the
  /// maximum was taken from.
  void (*max_of_tokens_backward)(const KernelContext&, const T* grad, const std::int32_t* token,
                                 const PackedShape& shape, std::int64_t width, T* grad_x);

  /// Computes out[i] = x[i] rounded to the nearest bfloat16 (ties to even); NaN stays NaN.
  void (*round_to_bfloat16)(const KernelContext&, const T* x, std::int64_t count, T* out);

  /// Computes *loss = loss of the anchors of a rank: the sum over them of -log(...), divided by the global batch. The
  /// candidates are the whole batch, and the anchors some of them, from `first_own` on: `anchor_rows` is not read. If
  /// `gradient` is not null (a block [batch, 2*dimension] for each of the terms' roles), it is overwritten with the
  /// gradient with respect to all rows.
  void (*contrastive_loss)(const KernelContext&, const ContrastiveCandidates<T>& input, double* loss,
                           T* const* gradient);

  /// Adds a block to the softmax of each anchor, for the same loss with candidates that come block by block, as
  /// BlockwiseLoss says.
  void (*contrastive_accumulate)(const KernelContext&, const ContrastiveCandidates<T>& input,
                                 const RunningSoftmax& softmax);
  /// Computes, with the softmax over all blocks, `weight` times the block's part of the gradient of the sum of
  /// -log(...). Gradients are by the anchors and by the candidates, a block of rows for each role, and are overwritten.
  /// Without anchors or candidates nothing is written.
  void (*contrastive_backward)(const KernelContext&, const ContrastiveCandidates<T>& input,
                               const RunningSoftmax& softmax, double weight, T* const* anchor_gradient,
                               T* const* candidate_gradient);

  /// Computes similarity[i] = sim(p_i || q_i) for the rows of p and q, `pairs` each, [mean | log_var] of width
  /// 2*dimension.
  void (*similarity)(const KernelContext&, const T* p, const T* q, std::int64_t pairs, std::int64_t dimension,
                     Similarity kind, float* similarity);

  /// Makes a step of AdamW. Weight decay acts on the values of the decaying runs alone. The same bits as without the
  /// marks of blocks at rest, which are kept up to date.
  void (*adamw)(const KernelContext&, const AdamWValues<T>& values, const AdamWStep& step);
  /// Computes *sum = sum of squares, accumulated in double.
  void (*sum_of_squares)(const KernelContext&, const T* x, std::int64_t count, double* sum);
};

/// Returns the kernels for CPUs.
template <typename T, typename Factor = T>
const Kernels<T, Factor>& kernel_table() {
  return table_of_instruction_set<Kernels<T, Factor>>();
}

}  // namespace gausscse::kernels
