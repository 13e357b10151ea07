#include "model/ops/ops.hpp"

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse::ops {

namespace {

/// Returns a kernel's argument: the data of a tensor in the type that the kernel takes, anything else as it is.
template <typename Parameter, typename Argument>
Parameter as(const Argument& argument) {
  if constexpr (std::is_same_v<Argument, at::Tensor>)
    return data<std::remove_pointer_t<Parameter>>(argument);
  else
    return argument;
}

template <typename... Parameters, typename... Arguments>
void call(void (*kernel)(const kernels::KernelContext&, Parameters...), const at::Tensor& where,
          const Arguments&... arguments) {
  kernel(context_of(where), as<Parameters>(arguments)...);
}

/// Calls the kernel that `pick` takes of a table: of the device and the type of `values`, with factors of the type of
/// `factor`.
///
///     run(KERNEL(add_column_sums), sum, x, x, rows, x.size(1), sum);
template <typename Pick, typename... Arguments>
void run(const Pick& pick, const at::Tensor& values, const at::Tensor& factor, const Arguments&... arguments) {
  with_factor_type(values, factor, [&]<typename T, typename Factor>(T, Factor) {
    call(pick(kernels_for<T, Factor>(values)), values, arguments...);
  });
}
/// Calls the kernel without arguments of the parameters' type that `pick` takes of a table, for factors alone.
template <typename Pick, typename... Arguments>
void run_for(const Pick& pick, const at::Tensor& factor, const Arguments&... arguments) {
  if (factor.scalar_type() == at::kBFloat16)
    return call(pick(kernels_for<float, kernels::Bfloat16>(factor)), factor, arguments...);
  with_scalar_type(factor, [&]<typename T>(T) { call(pick(kernels_for<T>(factor)), factor, arguments...); });
}
#define KERNEL(name) [](const auto& all) { return all.name; }

kernels::RowIdentity identity_of(const Rows& rows) {
  return {data<const std::uint32_t>(rows.samples), data<const std::uint32_t>(rows.positions)};
}

/// Arguments of attention that gives `width` columns.
kernels::Attention attention_of(const PackedBatch& batch, const AttentionSettings& settings, std::int64_t width) {
  return {batch.shape(), width, settings.heads, settings.first_token_only, settings.dropout, settings.farthest};
}

}  // namespace

Rows token_rows(const PackedBatch& batch) {
  return {batch.row_samples, batch.positions, batch.token_shards()};
}

void embed(const at::Tensor& word, const at::Tensor& position, const at::Tensor& token_type, const PackedBatch& batch,
           at::Tensor out) {
  run(KERNEL(embed), out, out, word, position, token_type, batch.ids, batch.positions, out.size(0), out.size(1), out);
}

void embed_backward(const at::Tensor& grad, const PackedBatch& batch, at::Tensor grad_word, at::Tensor grad_position,
                    at::Tensor grad_token_type) {
  GAUSSCSE_CHECK(batch.tokens_of_words.rows.defined(), "a batch with a backward is ready for it");
  const auto add = [&](const RowsOfTable& rows, const at::Tensor& table) {
    run(KERNEL(add_grouped_rows), grad, grad, grad, rows.groups(), batch.token_shards(), grad.size(1), table);
  };
  add(batch.tokens_of_words, grad_word);
  if (grad_position.defined()) add(batch.tokens_of_positions, grad_position);
  if (grad_token_type.defined()) add_column_sums(grad, batch.token_shards(), grad_token_type);
}

void add_layer_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    const LayerNormParameters& parameters, double epsilon, const LayerNormDropout& dropout,
                    const Rows& rows, const LayerNormResult& result, const LayerNormState& state) {
  const at::Tensor& out = result.out;
  run(KERNEL(add_layer_norm), out, result.factor, x, bias, residual, parameters.gamma, parameters.beta, epsilon,
      dropout.before, dropout.after, identity_of(rows), out.size(0), out.size(1), out,
      result.factor.is_same(out) ? at::Tensor() : result.factor, result.sum, state.normalized, state.inverse_deviation);
}

void add_layer_norm_backward(const LayerNormGradient& grad, const LayerNormState& state, const at::Tensor& gamma,
                             const LayerNormDropout& dropout, const Rows& rows, at::Tensor grad_residual,
                             at::Tensor grad_x, const LayerNormParameters& gradients, at::Tensor grad_bias) {
  GAUSSCSE_CHECK(!grad.of_sum || (grad.addend.defined() && !dropout.after.active()),
                 "a gradient of the sum has that of the result beside it");
  const at::Tensor& factor = grad_x.defined() ? grad_x : grad.addend.defined() ? grad.addend : grad.grad;
  run(KERNEL(add_layer_norm_backward), grad.grad, factor, grad.grad, grad.addend, grad.of_sum, state.normalized,
      state.inverse_deviation, gamma, dropout.before, dropout.after, identity_of(rows), rows.shards, grad.grad.size(1),
      grad_residual, grad_x, gradients.gamma, gradients.beta, grad_bias);
}

void bias_gelu(const at::Tensor& x, const at::Tensor& bias, at::Tensor out) {
  run(KERNEL(bias_gelu), bias, x, x, bias, x.size(0), x.size(1), out);
}

void gelu_backward(at::Tensor grad, const at::Tensor& x, const at::Tensor& bias, RowShards rows, at::Tensor grad_bias,
                   at::Tensor activation) {
  run(KERNEL(gelu_backward), bias, x, grad, x, bias, rows, x.size(1), grad_bias, activation);
}

void gate(kernels::Activation activation, const at::Tensor& x, at::Tensor out) {
  run_for(KERNEL(gate), x, activation, x, out.size(0), out.size(1), out);
}

void gate_backward(kernels::Activation activation, const at::Tensor& grad, const at::Tensor& x, at::Tensor grad_x,
                   at::Tensor out) {
  run_for(KERNEL(gate_backward), x, activation, grad, x, out.size(0), out.size(1), grad_x, out);
}

void rotate(at::Tensor x, std::int64_t first, std::int64_t count, const at::Tensor& angles, const PackedBatch& batch,
            int direction) {
  const std::int64_t head_size = angles.size(1);
  const kernels::RotatedColumns columns{x.size(0), x.size(1), first, count / head_size, head_size};
  run(KERNEL(rotate), angles, x, x, columns, angles, batch.positions, static_cast<double>(direction));
}

void add_column_sums(const at::Tensor& x, RowShards rows, at::Tensor sum) {
  run(KERNEL(add_column_sums), sum, x, x, rows, x.size(1), sum);
}

bool needs_attention_statistics(const PackedBatch& batch, std::int64_t heads, const at::Tensor& qkv) {
  const bool in_bfloat16 = qkv.scalar_type() == at::kBFloat16;
  return qkv.is_cuda() && batch.longest > kernels::short_attention_tokens(qkv.size(1) / 3 / heads, in_bfloat16);
}

void attention(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
               const at::Tensor& bias, const RelativePositionBias& relative_position, const AttentionResult& result) {
  run(KERNEL(attention), bias, qkv, attention_of(batch, settings, result.context.size(1)), qkv, bias,
      relative_position.table, result.context, result.statistics);
}

void attention_backward(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
                        const at::Tensor& bias, const RelativePositionBias& relative_position,
                        const AttentionResult& result, const at::Tensor& grad_context, at::Tensor grad_qkv) {
  GAUSSCSE_CHECK(!batch.attended.defined(), "every token is attended to where there is a backward");
  run(KERNEL(attention_backward), bias, qkv, attention_of(batch, settings, grad_context.size(1)), qkv, bias,
      relative_position.table, result.context, result.statistics, grad_context, grad_qkv,
      relative_position.grad_of_sentences);
}

void mean_of_tokens(const at::Tensor& x, const PackedBatch& batch, std::int64_t left_out, at::Tensor out) {
  run(KERNEL(mean_of_tokens), x, x, x, batch.shape(), left_out, x.size(1), out);
}

void mean_of_tokens_backward(const at::Tensor& grad, const PackedBatch& batch, std::int64_t left_out,
                             at::Tensor grad_x) {
  run(KERNEL(mean_of_tokens_backward), grad, grad, grad, batch.shape(), left_out, grad.size(1), grad_x);
}

void max_of_tokens(const at::Tensor& x, const PackedBatch& batch, at::Tensor out, at::Tensor token) {
  run(KERNEL(max_of_tokens), x, x, x, batch.shape(), x.size(1), out, token);
}

void max_of_tokens_backward(const at::Tensor& grad, const at::Tensor& token, const PackedBatch& batch,
                            at::Tensor grad_x) {
  run(KERNEL(max_of_tokens_backward), grad, grad, grad, token, batch.shape(), grad.size(1), grad_x);
}

void round_to_bfloat16(const at::Tensor& x, at::Tensor out) {
  run(KERNEL(round_to_bfloat16), x, x, x, x.numel(), out);
}

#undef KERNEL

}  // namespace gausscse::ops
