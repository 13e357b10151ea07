#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/empty_like.h>

#include <cmath>
#include <optional>

#include "benchmarks/gpu/layer_shapes.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "model/kernels/gpu_attention.hpp"
#include "model/ops/ops.hpp"

namespace gausscse::benchmarks {

namespace {

using Batch = std::shared_ptr<const PackedBatch>;

/// Ways of asking for attention: the program's three, and LibTorch's, which has its own masks.
struct Use {
  const char* name;
  bool dropout, first_token_only;
};
constexpr Use uses[] = {{"dropout", true, false}, {"first_tokens", true, true}, {"plain", false, false}};

struct AttentionCase {
  LayerShape shape;
  Batch batch;
  at::Device device;
  at::ScalarType factor;
  Use use;
};

/// Pairs of a query and a key that a head compares.
double pairs_of(const AttentionCase& of) {
  return of.use.first_token_only ? static_cast<double>(of.batch->tokens()) : pairs_of_tokens(*of.batch);
}

/// Queries, keys and values in, contexts out. A pair of a head takes two products over the head's columns, and an
/// exponential, a scale, a maximum, a difference and a sum.
Cost forward_cost(const AttentionCase& of) {
  const auto hidden = static_cast<double>(of.shape.hidden), tokens = static_cast<double>(of.batch->tokens());
  const double queries = of.use.first_token_only ? static_cast<double>(of.batch->sentences()) : tokens;
  const double bytes = (of.factor == at::kBFloat16 ? 2 : 4) * hidden * (2 * tokens + 2 * queries);
  const double mask = of.use.dropout ? dropout_mask : 0;
  return {bytes, pairs_of(of) * (4 * hidden + static_cast<double>(of.shape.heads) * (special_function + 4 + mask))};
}

/// Returns the cost of the backward. It also reads the gradient of the context and writes whole that of queries, keys
/// and values. It makes five products in place of two, and six operations of the softmax more. A kernel could compute
/// values of the forward again, instead of reading them.
Cost backward_cost(const AttentionCase& of) {
  const auto hidden = static_cast<double>(of.shape.hidden), tokens = static_cast<double>(of.batch->tokens());
  const double queries = of.use.first_token_only ? static_cast<double>(of.batch->sentences()) : tokens;
  const double bytes = (of.factor == at::kBFloat16 ? 2 : 4) * hidden * (5 * tokens + 2 * queries);
  const double mask = of.use.dropout ? dropout_mask : 0;
  return {bytes, pairs_of(of) * (10 * hidden + static_cast<double>(of.shape.heads) * (special_function + 10 + mask))};
}

MeasuredCase attention(const AttentionCase& of, bool backward) {
  const std::int64_t hidden = of.shape.hidden, tokens = of.batch->tokens();
  const std::int64_t queries = of.use.first_token_only ? of.batch->sentences() : tokens;
  const at::Tensor qkv = random_values({tokens, 3 * hidden}, of.device, of.factor),
                   bias = random_values({3 * hidden}, of.device),
                   grad = random_values({queries, hidden}, of.device, of.factor);
  ops::AttentionResult result{at::empty_like(grad), {}};
  if (ops::needs_attention_statistics(*of.batch, of.shape.heads, qkv))
    result.statistics = random_values({queries, of.shape.heads * kernels::attention_statistics}, of.device);
  const ops::AttentionSettings settings{
      of.shape.heads, of.use.first_token_only,
      of.use.dropout ? DropoutSite::of(DropoutStep::of(1, 1), 2, 0.1) : DropoutSite{}};
  const auto forward = [=, batch = of.batch] { ops::attention(*batch, settings, qkv, bias, {}, result); };
  if (!backward) return {forward_cost(of), forward};
  forward();
  const at::Tensor grad_qkv = random_values({tokens, 3 * hidden}, of.device, of.factor);
  return {backward_cost(of),
          [=, batch = of.batch] { ops::attention_backward(*batch, settings, qkv, bias, {}, result, grad, grad_qkv); }};
}

/// Returns the attention of LibTorch, of sentences of any length back to back; without bias and without dropout.
MeasuredCase flash_attention(const AttentionCase& of, bool backward) {
  const std::int64_t heads = of.shape.heads, tokens = of.batch->tokens(), longest = of.batch->longest;
  const at::Tensor qkv = random_values({tokens, 3, heads, of.shape.hidden / heads}, of.device, of.factor);
  const at::Tensor query = qkv.select(1, 0), key = qkv.select(1, 1), value = qkv.select(1, 2);
  const auto forward = [=, batch = of.batch] {
    return at::_flash_attention_forward(query, key, value, batch->offsets, batch->offsets, longest, longest, 0.0, false,
                                        false, std::optional<double>{}, std::optional<std::int64_t>{},
                                        std::optional<std::int64_t>{}, std::optional<at::Tensor>{},
                                        std::optional<at::Tensor>{});
  };
  Cost cost = backward ? backward_cost(of) : forward_cost(of);
  cost.arithmetic = Arithmetic::matmuls;
  if (!backward) return {cost, [forward] { forward(); }};
  const auto results = forward();
  const at::Tensor grad = random_values(std::get<0>(results).sizes(), of.device, of.factor);
  return {cost, [=, batch = of.batch] {
            const auto& [out, logsumexp, random_state, unused, mask] = results;
            at::_flash_attention_backward(grad, query, key, value, out, logsumexp, batch->offsets, batch->offsets,
                                          longest, longest, 0.0, false, random_state, unused);
          }};
}

}  // namespace

void add_attention_cases(const Workload& workload, CaseList& cases) {
  const std::pair<const char*, Batch> batches[] = {{"short", short_sentences(workload.device, workload.sentences())},
                                                   {"long", long_sentences(workload.device, workload.small)}};
  for (const LayerShape& shape : layer_shapes) {
    for (const at::ScalarType type : factor_types) {
      for (const auto& [length, batch] : batches) {
        const std::string suffix = std::string("/") + shape.name + '/' + type_name(type) + '/' + length + '/';
        for (const Use& use : uses) {
          const AttentionCase of{shape, batch, workload.device, type, use};
          cases.push_back({"attention" + suffix + use.name, [of] { return attention(of, false); }});
          cases.push_back({"attention_backward" + suffix + use.name, [of] { return attention(of, true); }});
        }
        if (type != at::kBFloat16 || workload.device.is_cpu()) continue;
        const AttentionCase of{shape, batch, workload.device, type, {"libtorch", false, false}};
        cases.push_back({"attention" + suffix + "libtorch", [of] { return flash_attention(of, false); }});
        cases.push_back({"attention_backward" + suffix + "libtorch", [of] { return flash_attention(of, true); }});
      }
    }
  }
}

}  // namespace gausscse::benchmarks
