#include "evaluation/transfer/linear_classifier.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/process.hpp"
#include "model/kernels/classifier_kernels.hpp"

namespace gausscse {

namespace {

/// Subtracts the weights of two classes. Only the difference of their logits counts, in softmax as in predictions: the
/// weights' difference takes half of the products.
void subtract_classes(const RowPart* weights, std::int64_t parts, RowPart* difference) {
  for (std::int64_t i = 0; i < parts; ++i)
    for (std::int64_t k = 0; k < values_of_part; ++k)
      difference[i].values[k] = weights[parts + i].values[k] - weights[i].values[k];
}

/// Products that a row is classified by.
std::int64_t columns_of(std::int64_t classes) {
  return classes == 2 ? 1 : classes;
}

/// Returns the class that the products of a row say, which are `count` apart.
std::uint32_t class_of(const float* products, std::int64_t classes, std::int64_t count) {
  if (classes == 2) return *products > 0;
  std::uint32_t best = 0;
  for (std::uint32_t c = 1; c < classes; ++c)
    if (products[c * count] > products[best * count]) best = c;
  return best;
}

kernels::ChosenRows chosen(const FeatureRows& x, std::span<const std::int32_t> rows) {
  return {x.data(), x.stride(), rows.data(), static_cast<std::int64_t>(rows.size())};
}

/// Fits that are not at their end, one block of weights and moments after another. They are fitted side by side because
/// one matmul then reads a batch once for the weights of all fits, which are few columns each.
class RunningFits {
 public:
  RunningFits(const LabelledRows& data, std::span<const double> decays, const ClassifierSettings& settings)
      : data_(data), settings_(settings), decays_(decays.begin(), decays.end()) {
    const ClassifierWeights first = initial_weights(settings.seed, data.x.features(), data.classes);
    for (std::size_t fit = 0; fit < decays.size(); ++fit) weights_.insert(weights_.end(), first.begin(), first.end());
    moments1_.resize(weights_.size());
    moments2_.resize(weights_.size());
    slopes_.resize(static_cast<std::size_t>(fits() * columns_of(data.classes) * parts()));
    if (data.classes == 2) differences_.resize(slopes_.size());
    for (std::int64_t fit = 0; fit < fits(); ++fit) subtract(fit);
  }

  std::int64_t fits() const { return static_cast<std::int64_t>(decays_.size()); }

  ClassifierWeights weights(std::int64_t fit) const {
    const auto begin = weights_.begin() + fit * data_.classes * parts();
    return {begin, begin + data_.classes * parts()};
  }

  /// Makes one step of the optimizer on a batch. `labels` are those of its rows.
  void step(std::span<const std::int32_t> rows, std::span<const std::uint32_t> labels) {
    ++steps_;
    const kernels::ClassifierKernels& kernels = kernels::classifier_kernels();
    const kernels::ChosenRows x = chosen(data_.x, rows);
    const std::int64_t columns = columns_of(data_.classes);
    logits_.resize(static_cast<std::size_t>(fits() * columns * x.count));
    kernels.products(x, column_weights(), fits() * columns, logits_.data());
    for (std::int64_t fit = 0; fit < fits(); ++fit) {
      float* of_fit = logits_.data() + fit * columns * x.count;
      if (data_.classes == 2)
        kernels.sigmoid_slopes(of_fit, labels.data(), x.count);
      else
        kernels.softmax_slopes(of_fit, labels.data(), data_.classes, x.count);
    }
    kernels.weighted_sums(x, logits_.data(), fits() * columns, slopes_.front().values);
    for (std::int64_t fit = 0; fit < fits(); ++fit) update(fit);
  }

  /// Returns the number of right answers of each fit.
  std::vector<std::int64_t> correct(const ChosenExamples& examples) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(fits()));
    const std::int64_t columns = columns_of(data_.classes);
    for (std::size_t begin = 0; begin < examples.rows.size(); begin += rows_at_once) {
      const auto block = std::span(examples.rows).subspan(begin, std::min(rows_at_once, examples.rows.size() - begin));
      const auto count = static_cast<std::int64_t>(block.size());
      logits_.resize(static_cast<std::size_t>(fits() * columns * count));
      kernels::classifier_kernels().products(chosen(examples.of.x, block), column_weights(), fits() * columns,
                                             logits_.data());
      for (std::int64_t fit = 0; fit < fits(); ++fit)
        for (std::int64_t r = 0; r < count; ++r)
          counts[static_cast<std::size_t>(fit)] +=
              class_of(logits_.data() + fit * columns * count + r, data_.classes, count) ==
              examples.of.labels[static_cast<std::size_t>(block[static_cast<std::size_t>(r)])];
    }
    return counts;
  }

  /// Leaves a fit out; those behind it move up.
  void remove(std::int64_t fit) {
    const auto remove_block = [&](ClassifierWeights& values, std::int64_t rows) {
      const auto begin = values.begin() + fit * rows * parts();
      values.erase(begin, begin + rows * parts());
    };
    for (ClassifierWeights* values : {&weights_, &moments1_, &moments2_}) remove_block(*values, data_.classes);
    remove_block(slopes_, columns_of(data_.classes));
    if (data_.classes == 2) remove_block(differences_, 1);
    decays_.erase(decays_.begin() + fit);
  }

 private:
  static constexpr std::size_t rows_at_once = 64;

  std::int64_t parts() const { return data_.x.stride() / values_of_part; }

  void update(std::int64_t fit) {
    const kernels::ClassifierKernels& kernels = kernels::classifier_kernels();
    for (std::int64_t c = 0; c < data_.classes; ++c) {
      const auto place = static_cast<std::size_t>((fit * data_.classes + c) * parts());
      const std::int64_t column = data_.classes == 2 ? fit : fit * data_.classes + c;
      const kernels::ClassifierUpdate update{
          .slope = slopes_[static_cast<std::size_t>(column * parts())].values,
          // For two classes the slopes are those of the second one, and of the difference.
          .sign = data_.classes == 2 && c == 0 ? -1.0f : 1.0f,
          .decay = static_cast<float>(decays_[static_cast<std::size_t>(fit)]),
          .count = data_.x.stride(),
          .weights = weights_[place].values,
          .moment1 = moments1_[place].values,
          .moment2 = moments2_[place].values};
      if (settings_.adam)
        kernels.adam(update, steps_);
      else
        kernels.rmsprop(update);
    }
    subtract(fit);
  }

  void subtract(std::int64_t fit) {
    if (data_.classes == 2)
      subtract_classes(weights_.data() + 2 * fit * parts(), parts(), differences_.data() + fit * parts());
  }

  /// Returns a row of weights for each column of products.
  const float* column_weights() const { return (data_.classes == 2 ? differences_ : weights_).front().values; }

  const LabelledRows& data_;
  const ClassifierSettings& settings_;
  std::vector<double> decays_;
  std::int64_t steps_ = 0;
  ClassifierWeights weights_, moments1_, moments2_;  ///< [fits, classes, stride]
  ClassifierWeights slopes_;                         ///< [fits, columns, stride]
  ClassifierWeights differences_;                    ///< [fits, stride]; of two classes alone
  std::vector<float> logits_;
};

/// Makes a pass over the training examples in a new order.
void pass(RunningFits& fits, const ChosenExamples& train, std::int64_t batch, NumpyRandom& random) {
  const std::vector<std::int32_t> order = random.permutation(train.rows.size());
  std::vector<std::int32_t> rows(order.size());
  std::vector<std::uint32_t> labels(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rows[i] = train.rows[static_cast<std::size_t>(order[i])];
    labels[i] = train.of.labels[static_cast<std::size_t>(rows[i])];
  }
  const auto size = static_cast<std::size_t>(batch);
  for (std::size_t begin = 0; begin < rows.size(); begin += size) {
    const std::size_t count = std::min(size, rows.size() - begin);
    fits.step(std::span(rows).subspan(begin, count), std::span(labels).subspan(begin, count));
  }
}

}  // namespace

std::int64_t FittedClassifier::most_correct() const {
  return *std::max_element(correct.begin(), correct.end());
}

ClassifierWeights initial_weights(std::uint32_t seed, std::int64_t features, std::int64_t classes) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  // Kaiming's uniform distribution with a = sqrt(5), and the bias' bound, as torch.nn.Linear computes them.
  const double inputs = static_cast<double>(features), gain = std::sqrt(2.0 / (1 + std::pow(std::sqrt(5.0), 2)));
  const double bound = std::sqrt(3.0) * (gain / std::sqrt(inputs)), bias_bound = 1 / std::sqrt(inputs);
  const at::Tensor weights = at::empty({classes, features}, at::kFloat).uniform_(-bound, bound, generator);
  const at::Tensor biases = at::empty({classes}, at::kFloat).uniform_(-bias_bound, bias_bound, generator);
  const std::int64_t stride = row_stride(features);
  ClassifierWeights rows(static_cast<std::size_t>(classes * stride / values_of_part));
  float* values = rows.front().values;
  for (std::int64_t c = 0; c < classes; ++c) {
    std::copy_n(weights.const_data_ptr<float>() + c * features, features, values + c * stride);
    values[c * stride + features] = biases.const_data_ptr<float>()[c];
  }
  return rows;
}

std::vector<FittedClassifier> fit_side_by_side(const ChosenExamples& train, const ChosenExamples& development,
                                               std::span<const double> with_decays, const ClassifierSettings& settings,
                                               NumpyRandom random) {
  GAUSSCSE_CHECK(!train.rows.empty() && !development.rows.empty(), "a fit needs examples to learn from and to stop by");
  struct State {
    std::size_t number;  ///< number of the fit in `fitted`
    std::int64_t most_correct = -1, without_improvement = 0;
  };
  std::vector<FittedClassifier> fitted(with_decays.size());
  std::vector<State> states;
  for (std::size_t i = 0; i < with_decays.size(); ++i) states.push_back({i});
  RunningFits fits(train.of, with_decays, settings);
  for (std::int64_t passes = 0; !states.empty() && passes <= settings.max_epoch; passes += settings.epoch_size) {
    for (std::int64_t i = 0; i < settings.epoch_size; ++i) {
      pass(fits, train, settings.batch, random);
      count_work();
    }
    const std::vector<std::int64_t> correct = fits.correct(development);
    for (std::int64_t fit = fits.fits() - 1; fit >= 0; --fit) {
      State& state = states[static_cast<std::size_t>(fit)];
      FittedClassifier& of_fit = fitted[state.number];
      of_fit.correct.push_back(correct[static_cast<std::size_t>(fit)]);
      if (of_fit.correct.back() > state.most_correct) {
        state.most_correct = of_fit.correct.back();
        of_fit.weights = fits.weights(fit);
      } else if (state.without_improvement++ >= settings.tenacity) {
        fits.remove(fit);
        states.erase(states.begin() + fit);
      }
    }
  }
  return fitted;
}

std::vector<std::uint32_t> predictions(const ChosenExamples& examples, const ClassifierWeights& weights) {
  const FeatureRows& x = examples.of.x;
  const std::int64_t classes = examples.of.classes, columns = columns_of(classes);
  ClassifierWeights of_columns = weights;
  if (classes == 2) subtract_classes(weights.data(), x.stride() / values_of_part, of_columns.data());
  const auto count = static_cast<std::int64_t>(examples.rows.size());
  std::vector<float> logits(static_cast<std::size_t>(columns * count));
  kernels::classifier_kernels().products(chosen(x, examples.rows), of_columns.front().values, columns, logits.data());
  std::vector<std::uint32_t> predicted;
  for (std::int64_t r = 0; r < count; ++r) predicted.push_back(class_of(logits.data() + r, classes, count));
  return predicted;
}

}  // namespace gausscse
