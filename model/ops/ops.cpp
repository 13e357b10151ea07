#include "model/ops/ops.hpp"

#include "model/ops/scalar_type.hpp"

namespace gausscse::ops {

using kernels::kernel_table;

void embed(const at::Tensor& word, const at::Tensor& position, const at::Tensor& token_type, const PackedBatch& batch,
           at::Tensor out) {
  with_scalar_type(out, [&]<typename T>(T) {
    kernel_table<T>().embed(const_data<T>(word), const_data<T>(position), const_data<T>(token_type),
                            const_words(batch.ids), const_words(batch.positions), out.size(0), out.size(1),
                            data<T>(out));
  });
}

void embed_backward(const at::Tensor& grad, const PackedBatch& batch, at::Tensor grad_word, at::Tensor grad_position,
                    at::Tensor grad_token_type) {
  with_scalar_type(grad, [&]<typename T>(T) {
    kernel_table<T>().embed_backward(const_data<T>(grad), const_words(batch.ids), const_words(batch.positions),
                                     grad.size(0), grad.size(1), data<T>(grad_word), data<T>(grad_position),
                                     data<T>(grad_token_type));
  });
}

void add_layer_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    const LayerNormParameters& parameters, double epsilon, const LayerNormDropout& dropout,
                    const Rows& rows, at::Tensor out, const LayerNormState& state) {
  with_scalar_type(x, [&]<typename T>(T) {
    at::Tensor normalized = state.normalized, inverse_deviation = state.inverse_deviation;
    kernel_table<T>().add_layer_norm(const_data<T>(x), const_data<T>(bias), const_data<T>(residual),
                                     const_data<T>(parameters.gamma), const_data<T>(parameters.beta), epsilon,
                                     dropout.before, dropout.after,
                                     {const_words(rows.samples), const_words(rows.positions)}, x.size(0), x.size(1),
                                     data<T>(out), data<T>(normalized), data<T>(inverse_deviation));
  });
}

void add_layer_norm_backward(at::Tensor grad_out, const LayerNormState& state, const at::Tensor& gamma,
                             const LayerNormDropout& dropout, const Rows& rows, at::Tensor grad_residual,
                             at::Tensor grad_x, const LayerNormParameters& gradients, at::Tensor grad_bias) {
  with_scalar_type(grad_out, [&]<typename T>(T) {
    at::Tensor grad_gamma = gradients.gamma, grad_beta = gradients.beta;
    kernel_table<T>().add_layer_norm_backward(
        data<T>(grad_out), const_data<T>(state.normalized), const_data<T>(state.inverse_deviation),
        const_data<T>(gamma), dropout.before, dropout.after, {const_words(rows.samples), const_words(rows.positions)},
        grad_out.size(0), grad_out.size(1), data<T>(grad_residual), data<T>(grad_x), data<T>(grad_gamma),
        data<T>(grad_beta), data<T>(grad_bias));
  });
}

void bias_gelu(at::Tensor x, const at::Tensor& bias, at::Tensor out) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernel_table<T>().bias_gelu(data<T>(x), const_data<T>(bias), x.size(0), x.size(1), data<T>(out));
  });
}

void gelu_backward(at::Tensor grad, const at::Tensor& x, at::Tensor grad_bias, at::Tensor activation) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernel_table<T>().gelu_backward(data<T>(grad), const_data<T>(x), x.size(0), x.size(1), data<T>(grad_bias),
                                    data<T>(activation));
  });
}

void add_column_sums(const at::Tensor& x, at::Tensor sum) {
  with_scalar_type(x, [&]<typename T>(T) {
    kernel_table<T>().add_column_sums(const_data<T>(x), x.size(0), x.size(1), data<T>(sum));
  });
}

void attention(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv, at::Tensor context) {
  with_scalar_type(qkv, [&]<typename T>(T) {
    kernel_table<T>().attention(
        {batch.shape(), context.size(1), settings.heads, settings.first_token_only, settings.dropout},
        const_data<T>(qkv), data<T>(context));
  });
}

void attention_backward(const PackedBatch& batch, const AttentionSettings& settings, const at::Tensor& qkv,
                        const at::Tensor& grad_context, at::Tensor grad_qkv) {
  with_scalar_type(qkv, [&]<typename T>(T) {
    kernel_table<T>().attention_backward(
        {batch.shape(), grad_context.size(1), settings.heads, settings.first_token_only, settings.dropout},
        const_data<T>(qkv), const_data<T>(grad_context), data<T>(grad_qkv));
  });
}

void round_to_bfloat16(const at::Tensor& x, at::Tensor out) {
  with_scalar_type(
      x, [&]<typename T>(T) { kernel_table<T>().round_to_bfloat16(const_data<T>(x), x.numel(), data<T>(out)); });
}

}  // namespace gausscse::ops
