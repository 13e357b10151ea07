#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "benchmarks/gpu/layer_shapes.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "model/ops/ops.hpp"

namespace gausscse::benchmarks {

namespace {

using Batch = std::shared_ptr<const PackedBatch>;

constexpr double float_bytes = 4, id_bytes = 4;

/// The rows of a layer, of which all cases of one shape and type of factors are made.
struct Rows {
  LayerShape shape;
  Batch batch;
  at::Device device;
  at::ScalarType factor;

  std::int64_t tokens() const { return batch->tokens(); }
  double elements(std::int64_t width) const { return static_cast<double>(tokens()) * static_cast<double>(width); }
  double factor_bytes() const { return factor == at::kBFloat16 ? 2 : 4; }
  at::Tensor values(std::int64_t rows, std::int64_t width) const { return random_values({rows, width}, device); }
  at::Tensor factors(std::int64_t width) const { return random_values({tokens(), width}, device, factor); }
  at::Tensor parameters(std::int64_t width) const { return random_values({width}, device); }
};

DropoutSite dropout() {
  return DropoutSite::of(DropoutStep::of(1, 1), 3, 0.1);
}

MeasuredCase embed(const Rows& of) {
  const std::int64_t hidden = of.shape.hidden;
  const at::Tensor word = of.values(vocabulary, hidden), position = of.values(positions, hidden),
                   token_type = of.values(2, hidden), out = of.values(of.tokens(), hidden);
  // Each row of the tables that is used is read once.
  const auto used = static_cast<double>(of.batch->tokens_of_words.targets.numel() +
                                        of.batch->tokens_of_positions.targets.numel() + 1);
  const double elements = of.elements(hidden);
  return {{float_bytes * (elements + used * static_cast<double>(hidden)) + 2 * id_bytes * of.elements(1), 2 * elements},
          [=, batch = of.batch] { ops::embed(word, position, token_type, *batch, out); }};
}

/// Returns the gradients of all three tables: two sums over groups of rows, and one over all rows.
MeasuredCase embed_backward(const Rows& of) {
  const std::int64_t hidden = of.shape.hidden;
  const at::Tensor grad = of.values(of.tokens(), hidden), word = of.values(vocabulary, hidden),
                   position = of.values(positions, hidden), token_type = of.parameters(hidden);
  // The gradient is read for each table; of the tables' gradients a row that is used is read and written.
  const auto used = static_cast<double>(of.batch->tokens_of_words.targets.numel() +
                                        of.batch->tokens_of_positions.targets.numel() + 1);
  const double elements = of.elements(hidden);
  return {
      {float_bytes * (3 * elements + 2 * used * static_cast<double>(hidden)) + 2 * 8 * of.elements(1), 3 * elements},
      [=, batch = of.batch] { ops::embed_backward(grad, *batch, word, position, token_type); }};
}

/// Measures the sum and layer norm as within a layer: x is a product, the residual a sum of float32; dropout acts on x.
MeasuredCase add_layer_norm(const Rows& of) {
  const std::int64_t hidden = of.shape.hidden;
  const at::Tensor x = of.factors(hidden), bias = of.parameters(hidden), residual = of.values(of.tokens(), hidden),
                   out = of.values(of.tokens(), hidden);
  const bool rounds = of.factor == at::kBFloat16;
  const at::Tensor factor = rounds ? of.factors(hidden) : out;
  const ops::LayerNormParameters parameters{of.parameters(hidden), of.parameters(hidden)};
  const ops::LayerNormState state{of.values(of.tokens(), hidden), of.values(of.tokens(), 1)};
  // x and residual in; sum as float32 and, where it differs, as a factor, and the normalized values out. Bias and
  // residual, mean, variance, normalization, and scale and shift are 11 operations.
  const double elements = of.elements(hidden), factor_bytes = of.factor_bytes();
  return {{elements * ((rounds ? 2 : 1) * factor_bytes + 3 * float_bytes) + 3 * float_bytes * of.elements(1),
           elements * (11 + dropout_mask)},
          [=, batch = of.batch] {
            ops::add_layer_norm(x, bias, residual, parameters, 1e-12, {dropout(), {}}, ops::token_rows(*batch),
                                {out, factor, {}}, state);
          }};
}

MeasuredCase add_layer_norm_backward(const Rows& of) {
  const std::int64_t hidden = of.shape.hidden;
  const at::Tensor grad_out = of.values(of.tokens(), hidden), grad_addend = of.factors(hidden),
                   gamma = of.parameters(hidden), grad_residual = of.values(of.tokens(), hidden),
                   grad_x = of.factors(hidden), grad_bias = of.parameters(hidden);
  const ops::LayerNormState state{of.values(of.tokens(), hidden), of.values(of.tokens(), 1).abs_()};
  const ops::LayerNormParameters gradients{of.parameters(hidden), of.parameters(hidden)};
  // Gradient and addend and the normalized values in, gradients of residual and x out. The sum of gradients, two means,
  // the formula and the sums of three parameters are 14 operations.
  const double elements = of.elements(hidden);
  return {{elements * (2 * of.factor_bytes() + 3 * float_bytes) + 3 * float_bytes * of.elements(1),
           elements * (14 + dropout_mask)},
          [=, batch = of.batch] {
            ops::add_layer_norm_backward({grad_out, grad_addend}, state, gamma, {dropout(), {}},
                                         ops::token_rows(*batch), grad_residual, grad_x, gradients, grad_bias);
          }};
}

MeasuredCase bias_gelu(const Rows& of) {
  const std::int64_t wide = of.shape.intermediate;
  const at::Tensor x = of.factors(wide), out = of.factors(wide), bias = of.parameters(wide);
  // erf is a polynomial of eight steps and an exponential.
  const double elements = of.elements(wide);
  return {{2 * of.factor_bytes() * elements, elements * (20 + special_function)},
          [=] { ops::bias_gelu(x, bias, out); }};
}

MeasuredCase gelu_backward(const Rows& of) {
  const std::int64_t wide = of.shape.intermediate;
  const at::Tensor grad = of.factors(wide), x = of.factors(wide), activation = of.factors(wide),
                   bias = of.parameters(wide), grad_bias = of.parameters(wide);
  // Gradient and x in, gradient and activation out; erf once more, and the density, another exponential.
  const double elements = of.elements(wide);
  return {{4 * of.factor_bytes() * elements, elements * (27 + 2 * special_function)},
          [=, batch = of.batch] { ops::gelu_backward(grad, x, bias, batch->token_shards(), grad_bias, activation); }};
}

/// Measures the column sums of the gradient of queries, keys and values.
MeasuredCase add_column_sums(const Rows& of) {
  const std::int64_t width = 3 * of.shape.hidden;
  const at::Tensor x = of.factors(width), sum = of.parameters(width);
  const double elements = of.elements(width);
  return {{of.factor_bytes() * elements, elements},
          [=, batch = of.batch] { ops::add_column_sums(x, batch->token_shards(), sum); }};
}

/// Measures pooling; `backward` writes a row for each token, of one for each sentence.
MeasuredCase pooling(const Rows& of, bool maximum, bool backward) {
  const std::int64_t hidden = of.shape.hidden, sentences = of.batch->sentences();
  const at::Tensor x = of.values(of.tokens(), hidden), out = of.values(sentences, hidden);
  const at::Tensor token = at::zeros({sentences, hidden}, x.options().dtype(at::kInt));
  // Maxima come with the token that they are of.
  const double elements = of.elements(hidden);
  const double pooled = static_cast<double>(sentences) * static_cast<double>(hidden);
  if (maximum) ops::max_of_tokens(x, *of.batch, out, token);
  return {{float_bytes * (elements + (maximum ? 2 : 1) * pooled), elements}, [=, batch = of.batch] {
            if (maximum)
              backward ? ops::max_of_tokens_backward(out, token, *batch, x) : ops::max_of_tokens(x, *batch, out, token);
            else
              backward ? ops::mean_of_tokens_backward(out, *batch, 0, x) : ops::mean_of_tokens(x, *batch, 0, out);
          }};
}

}  // namespace

void add_row_cases(const Workload& workload, CaseList& cases) {
  const Batch batch = short_sentences(workload.device, workload.sentences());
  for (const LayerShape& shape : layer_shapes) {
    for (const at::ScalarType type : factor_types) {
      const Rows rows{shape, batch, workload.device, type};
      const auto add = [&](const char* kernel, const auto& make) {
        cases.push_back(
            {std::string(kernel) + '/' + shape.name + '/' + type_name(type), [rows, make] { return make(rows); }});
      };
      add("add_layer_norm", add_layer_norm);
      add("add_layer_norm_backward", add_layer_norm_backward);
      add("bias_gelu", bias_gelu);
      add("gelu_backward", gelu_backward);
      add("add_column_sums", add_column_sums);
      if (type != at::kFloat) continue;
      add("embed", embed);
      add("embed_backward", embed_backward);
      for (const bool maximum : {false, true}) {
        const std::string name = maximum ? "max_of_tokens" : "mean_of_tokens";
        add(name.c_str(), [maximum](const Rows& of) { return pooling(of, maximum, false); });
        add((name + "_backward").c_str(), [maximum](const Rows& of) { return pooling(of, maximum, true); });
      }
    }
  }
}

}  // namespace gausscse::benchmarks
