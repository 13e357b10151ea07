#include "model/ops/ops.hpp"

#include "base/error.hpp"
#include "model/kernels/gpu_attention.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/ops/scalar_type.hpp"

namespace gausscse::ops {

Rows token_rows(const PackedBatch& batch) {
  return {batch.row_samples, batch.positions, batch.token_shards()};
}

void embed(const at::Tensor& word, const at::Tensor& position, const at::Tensor& token_type, const PackedBatch& batch,
           at::Tensor out) {
  with_scalar_type(out, [&]<typename T>(T) {
    kernels_for<T>(out).embed(context_of(out), const_data<T>(word), const_data<T>(position), const_data<T>(token_type),
                              const_words(batch.ids), const_words(batch.positions), out.size(0), out.size(1),
                              data<T>(out));
  });
}

void embed_backward(const at::Tensor& grad, const PackedBatch& batch, at::Tensor grad_word, at::Tensor grad_position,
                    at::Tensor grad_token_type) {
  GAUSSCSE_CHECK(batch.tokens_of_words.rows.defined(), "a batch with a backward is ready for it");
  with_scalar_type(grad, [&]<typename T>(T) {
    const auto add = [&](const RowsOfTable& rows, at::Tensor& table) {
      kernels_for<T>(grad).add_grouped_rows(context_of(grad), const_data<T>(grad), rows.groups(), batch.token_shards(),
                                            grad.size(1), data<T>(table));
    };
    add(batch.tokens_of_words, grad_word);
    add(batch.tokens_of_positions, grad_position);
  });
  if (grad_token_type.defined()) add_column_sums(grad, batch.token_shards(), grad_token_type);
}

void add_layer_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    const LayerNormParameters& parameters, double epsilon, const LayerNormDropout& dropout,
                    const Rows& rows, at::Tensor out, at::Tensor factor, const LayerNormState& state) {
  with_factor_type(out, factor, [&]<typename T, typename Factor>(T, Factor) {
    at::Tensor normalized = state.normalized, inverse_deviation = state.inverse_deviation;
    kernels_for<T, Factor>(out).add_layer_norm(
        context_of(out), const_data<Factor>(x), const_data<T>(bias), const_data<T>(residual),
        const_data<T>(parameters.gamma), const_data<T>(parameters.beta), epsilon, dropout.before, dropout.after,
        {const_words(rows.samples), const_words(rows.positions)}, out.size(0), out.size(1), data<T>(out),
        factor.is_same(out) ? nullptr : data<Factor>(factor), data<T>(normalized), data<T>(inverse_deviation));
  });
}

void add_layer_norm_backward(at::Tensor grad_out, const at::Tensor& grad_addend, const LayerNormState& state,
                             const at::Tensor& gamma, const LayerNormDropout& dropout, const Rows& rows,
                             at::Tensor grad_residual, at::Tensor grad_x, const LayerNormParameters& gradients,
                             at::Tensor grad_bias) {
  const at::Tensor& factor = grad_x.defined() ? grad_x : grad_addend.defined() ? grad_addend : grad_out;
  with_factor_type(grad_out, factor, [&]<typename T, typename Factor>(T, Factor) {
    at::Tensor grad_gamma = gradients.gamma, grad_beta = gradients.beta;
    kernels_for<T, Factor>(grad_out).add_layer_norm_backward(
        context_of(grad_out), data<T>(grad_out), const_data<Factor>(grad_addend), const_data<T>(state.normalized),
        const_data<T>(state.inverse_deviation), const_data<T>(gamma), dropout.before, dropout.after,
        {const_words(rows.samples), const_words(rows.positions)}, rows.shards, grad_out.size(1), data<T>(grad_residual),
        data<Factor>(grad_x), data<T>(grad_gamma), data<T>(grad_beta), data<T>(grad_bias));
  });
}

void bias_gelu(const at::Tensor& x, const at::Tensor& bias, at::Tensor out) {
  with_factor_type(bias, x, [&]<typename T, typename Factor>(T, Factor) {
    kernels_for<T, Factor>(x).bias_gelu(context_of(x), const_data<Factor>(x), const_data<T>(bias), x.size(0), x.size(1),
                                        data<Factor>(out));
  });
}

void gelu_backward(at::Tensor grad, const at::Tensor& x, const at::Tensor& bias, RowShards rows, at::Tensor grad_bias,
                   at::Tensor activation) {
  with_factor_type(bias, x, [&]<typename T, typename Factor>(T, Factor) {
    kernels_for<T, Factor>(x).gelu_backward(context_of(x), data<Factor>(grad), const_data<Factor>(x),
                                            const_data<T>(bias), rows, x.size(1), data<T>(grad_bias),
                                            data<Factor>(activation));
  });
}

void add_column_sums(const at::Tensor& x, RowShards rows, at::Tensor sum) {
  with_factor_type(sum, x, [&]<typename T, typename Factor>(T, Factor) {
    kernels_for<T, Factor>(x).add_column_sums(context_of(x), const_data<Factor>(x), rows, x.size(1), data<T>(sum));
  });
}

bool needs_attention_statistics(const PackedBatch& batch) {
  return batch.ids.is_cuda() && batch.longest > kernels::attention_tile_of_gpus;
}

void attention(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
               const at::Tensor& bias, const RelativePositionBias& relative_position, const AttentionResult& result) {
  with_factor_type(bias, qkv, [&]<typename T, typename Factor>(T, Factor) {
    at::Tensor context = result.context, statistics = result.statistics;
    kernels_for<T, Factor>(qkv).attention(
        context_of(qkv), {batch.shape(), context.size(1), settings.heads, settings.first_token_only, settings.dropout},
        const_data<Factor>(qkv), const_data<T>(bias), const_data<T>(relative_position.table), data<Factor>(context),
        data<T>(statistics));
  });
}

void attention_backward(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
                        const at::Tensor& bias, const RelativePositionBias& relative_position,
                        const AttentionResult& result, const at::Tensor& grad_context, at::Tensor grad_qkv) {
  with_factor_type(bias, qkv, [&]<typename T, typename Factor>(T, Factor) {
    GAUSSCSE_CHECK(!batch.attended.defined(), "every token is attended to where there is a backward");
    at::Tensor grad_of_sentences = relative_position.grad_of_sentences;
    kernels_for<T, Factor>(qkv).attention_backward(
        context_of(qkv),
        {batch.shape(), grad_context.size(1), settings.heads, settings.first_token_only, settings.dropout},
        const_data<Factor>(qkv), const_data<T>(bias), const_data<T>(relative_position.table),
        const_data<Factor>(result.context), const_data<T>(result.statistics), const_data<Factor>(grad_context),
        data<Factor>(grad_qkv), data<T>(grad_of_sentences));
  });
}

void mean_of_tokens(const at::Tensor& x, const PackedBatch& batch, std::int64_t left_out, at::Tensor out) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernels_for<T>(x).mean_of_tokens(context_of(x), const_data<T>(x), batch.shape(), left_out, x.size(1), data<T>(out));
  });
}

void mean_of_tokens_backward(const at::Tensor& grad, const PackedBatch& batch, std::int64_t left_out,
                             at::Tensor grad_x) {
  with_scalar_type(grad, [&]<typename T>(T) {
    kernels_for<T>(grad).mean_of_tokens_backward(context_of(grad), const_data<T>(grad), batch.shape(), left_out,
                                                 grad.size(1), data<T>(grad_x));
  });
}

void max_of_tokens(const at::Tensor& x, const PackedBatch& batch, at::Tensor out, at::Tensor token) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernels_for<T>(x).max_of_tokens(context_of(x), const_data<T>(x), batch.shape(), x.size(1), data<T>(out),
                                    data<std::int32_t>(token));
  });
}

void max_of_tokens_backward(const at::Tensor& grad, const at::Tensor& token, const PackedBatch& batch,
                            at::Tensor grad_x) {
  with_scalar_type(grad, [&]<typename T>(T) {
    kernels_for<T>(grad).max_of_tokens_backward(context_of(grad), const_data<T>(grad), const_data<std::int32_t>(token),
                                                batch.shape(), grad.size(1), data<T>(grad_x));
  });
}

void round_to_bfloat16(const at::Tensor& x, at::Tensor out) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernels_for<T>(x).round_to_bfloat16(context_of(x), const_data<T>(x), x.numel(), data<T>(out));
  });
}

}  // namespace gausscse::ops
