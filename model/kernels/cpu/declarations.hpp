#pragma once

#include "model/kernels/kernels.hpp"

// The kernels of one instruction set; documented at their entries in model/kernels/kernels.hpp.
namespace gausscse::kernels::GAUSSCSE_ISA {

template <typename T>
void embed(const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
           const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out);
template <typename T>
void add_grouped_rows(const T* x, RowGroups groups, RowShards shards, std::int64_t width, T* table);
template <typename T, typename Factor>
void add_layer_norm(const Factor* x, const T* bias, const T* residual, const T* gamma, const T* beta, double epsilon,
                    const DropoutSite& dropout, const DropoutSite& output_dropout, RowIdentity identity,
                    std::int64_t rows, std::int64_t hidden, T* out, Factor* factor, T* normalized,
                    T* inverse_deviation);
template <typename T, typename Factor>
void add_layer_norm_backward(T* grad_out, const Factor* grad_addend, const T* normalized, const T* inverse_deviation,
                             const T* gamma, const DropoutSite& dropout, const DropoutSite& output_dropout,
                             RowIdentity identity, RowShards rows, std::int64_t hidden, T* grad_residual,
                             Factor* grad_x, T* grad_gamma, T* grad_beta, T* grad_bias);
template <typename T, typename Factor>
void bias_gelu(const Factor* x, const T* bias, std::int64_t rows, std::int64_t width, Factor* out);
template <typename T, typename Factor>
void gelu_backward(Factor* grad, const Factor* x, const T* bias, RowShards rows, std::int64_t width, T* grad_bias,
                   Factor* activation);
template <typename T, typename Factor>
void add_column_sums(const Factor* x, RowShards rows, std::int64_t width, T* sum);
template <typename T, typename Factor>
void attention(const Attention& arguments, const Factor* qkv, const T* bias, const T* relative_bias, Factor* context,
               T* statistics);
template <typename T, typename Factor>
void attention_backward(const Attention& arguments, const Factor* qkv, const T* bias, const T* relative_bias,
                        const Factor* context, const T* statistics, const Factor* grad_context, Factor* grad_qkv,
                        T* grad_relative_bias);
template <typename T>
void mean_of_tokens(const T* x, const PackedShape& shape, std::int64_t left_out, std::int64_t width, T* out);
template <typename T>
void mean_of_tokens_backward(const T* grad, const PackedShape& shape, std::int64_t left_out, std::int64_t width,
                             T* grad_x);
template <typename T>
void max_of_tokens(const T* x, const PackedShape& shape, std::int64_t width, T* out, std::int32_t* token);
template <typename T>
void max_of_tokens_backward(const T* grad, const std::int32_t* token, const PackedShape& shape, std::int64_t width,
                            T* grad_x);
template <typename T>
void round_to_bfloat16(const T* x, std::int64_t count, T* out);
template <typename T>
void contrastive_loss(const ContrastiveInput<T>& input, double* loss, T* const* gradient);
template <typename T>
void contrastive_see(const ContrastiveCandidates<T>& input, const RunningSoftmax& softmax);
template <typename T>
void contrastive_differentiate(const ContrastiveCandidates<T>& input, const RunningSoftmax& softmax, double weight,
                               T* const* anchor_gradient, T* const* candidate_gradient);
template <typename T>
void similarity(const T* p, const T* q, std::int64_t pairs, std::int64_t dimension, Similarity kind, float* result);
template <typename T>
void adamw(const AdamWValues<T>& values, const AdamWStep& step);
template <typename T>
void sum_of_squares(const T* x, std::int64_t count, double* sum_of_all);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
