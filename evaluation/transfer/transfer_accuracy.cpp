#include "evaluation/transfer/transfer_accuracy.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "evaluation/transfer/classifier_settings.hpp"
#include "evaluation/transfer/linear_classifier.hpp"
#include "evaluation/transfer/numpy.hpp"

namespace gausscse {

namespace {

/// Seed of the folds of nested cross-validation, regardless of the seed of classifiers.
constexpr std::uint32_t seed_of_nested_folds = 1111;

/// Returns the number of training examples that are held out, where there is no development set, to decide when a fit
/// ends.
std::size_t held_out_of(std::size_t examples) {
  return static_cast<std::size_t>(0.05 * static_cast<double>(examples));
}

double share(std::int64_t correct, std::size_t count) {
  return static_cast<double>(correct) / static_cast<double>(count);
}

std::vector<double> shares_of(const std::vector<FittedClassifier>& fitted, std::size_t count) {
  std::vector<double> shares;
  for (const FittedClassifier& each : fitted) shares.push_back(share(each.most_correct(), count));
  return shares;
}

template <typename Value>
std::vector<Value> values_at(std::span<const Value> values, const std::vector<std::int32_t>& places) {
  std::vector<Value> chosen;
  for (const std::int32_t place : places) chosen.push_back(values[static_cast<std::size_t>(place)]);
  return chosen;
}

/// Training examples to fit to, some of them held out to stop by, and the draws that follow.
struct HeldOut {
  ChosenExamples train, development;
  NumpyRandom random;
};

HeldOut hold_out(const ChosenExamples& train, std::uint32_t seed) {
  HeldOut split{{train.of, {}}, {train.of, {}}, NumpyRandom(seed)};
  const std::size_t count = held_out_of(train.rows.size());
  const std::vector<std::int32_t> order = split.random.permutation(train.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    (i < count ? split.development : split.train).rows.push_back(train.rows[static_cast<std::size_t>(order[i])]);
  return split;
}

/// Right answers, and of class 1 the right ones, those given and those there are.
struct Answers {
  double correct = 0, true_positives = 0, given = 0, actual = 0;

  static constexpr std::size_t count = 4;
  std::vector<double> values() const { return {correct, true_positives, given, actual}; }
};

Answers answers_of(const ChosenExamples& examples, const ClassifierWeights& weights) {
  const std::vector<std::uint32_t> predicted = predictions(examples, weights);
  Answers answers;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::uint32_t label = examples.of.labels[static_cast<std::size_t>(examples.rows[i])];
    answers.correct += predicted[i] == label;
    answers.true_positives += predicted[i] == 1 && label == 1;
    answers.given += predicted[i] == 1;
    answers.actual += label == 1;
  }
  return answers;
}

double percent_of_test(const std::vector<double>& answers, std::size_t count) {
  return round_as_python(100 * (answers[0] / static_cast<double>(count)));
}

class Measuring {
 public:
  Measuring(const TransferFeatures& features, const TransferLayout& layout, const ClassifierSettings& settings,
            SharedFits& fits)
      : settings_(settings),
        fits_(fits),
        layout_(layout),
        train_(rows_of(features.train)),
        development_(rows_of(features.development)),
        test_(rows_of(features.test)) {}

  TransferAccuracy nested_cross_validation() {
    const auto folds = static_cast<std::size_t>(settings_.folds);
    const std::vector<std::int32_t> outer = stratified_folds(train_.labels, settings_.folds, seed_of_nested_folds);
    std::vector<FoldRows> outer_rows;
    std::vector<std::vector<std::int32_t>> inner;
    for (std::int32_t fold = 0; fold < settings_.folds; ++fold) {
      outer_rows.push_back(rows_of_fold(outer, fold));
      inner.push_back(
          stratified_folds(values_at(train_.labels, outer_rows.back().others), settings_.folds, seed_of_nested_folds));
    }
    const auto chosen_by = fits_.run(folds * folds, decays.size(), [&](std::size_t i) {
      return fold_shares(outer_rows[i / folds].others, inner[i / folds], static_cast<std::int32_t>(i % folds));
    });
    std::vector<DecayChoice> choices;
    for (std::size_t fold = 0; fold < folds; ++fold)
      choices.push_back(best_decay_of_folds(std::span(chosen_by).subspan(fold * folds, folds)));
    const auto answers = fits_.run(folds, Answers::count, [&](std::size_t fold) {
      return refitted({train_, outer_rows[fold].others}, choices[fold], {train_, outer_rows[fold].fold});
    });
    std::vector<double> development, tested;
    for (std::size_t fold = 0; fold < folds; ++fold) {
      development.push_back(choices[fold].score);
      tested.push_back(percent_of_test(answers[fold], outer_rows[fold].fold.size()));
    }
    return {round_as_numpy(mean_as_numpy(development)), round_as_numpy(mean_as_numpy(tested)), 0};
  }

  TransferAccuracy cross_validation() {
    const auto folds = static_cast<std::size_t>(settings_.folds);
    const std::vector<std::int32_t> fold_of_example = stratified_folds(train_.labels, settings_.folds, settings_.seed);
    const DecayChoice choice = best_decay_of_folds(fits_.run(folds, decays.size(), [&](std::size_t fold) {
      return fold_shares(all_of(train_).rows, fold_of_example, static_cast<std::int32_t>(fold));
    }));
    const auto answers =
        fits_.run(1, Answers::count, [&](std::size_t) { return refitted(all_of(train_), choice, all_of(test_)); });
    return tested(choice, answers.front());
  }

  /// Returns the accuracy with a development set. The chosen classifier is kept: fitted once more it would come out the
  /// same.
  TransferAccuracy development_set() {
    const auto fitted =
        fits_.run(decays.size() / side_by_side, side_by_side * (1 + Answers::count), [&](std::size_t i) {
          std::vector<double> results;
          for (const FittedClassifier& fit : fit_side_by_side(all_of(train_), all_of(development_),
                                                              std::span(decays).subspan(i * side_by_side, side_by_side),
                                                              settings_, NumpyRandom(settings_.seed))) {
            results.push_back(share(fit.most_correct(), development_.labels.size()));
            for (const double value : answers_of(all_of(test_), fit.weights).values()) results.push_back(value);
          }
          return results;
        });
    std::vector<double> scores;
    std::vector<std::vector<double>> answers;
    for (const std::vector<double>& of_fits : fitted)
      for (auto next = of_fits.begin(); next != of_fits.end(); next += 1 + Answers::count) {
        scores.push_back(round_as_python(100 * *next));
        answers.emplace_back(next + 1, next + 1 + Answers::count);
      }
    const DecayChoice choice = best_decay(scores);
    return tested(choice, answers[choice.decay]);
  }

 private:
  /// Fits of a single set that read it together: two tasks for two threads, at a little more work than one of four.
  static constexpr std::size_t side_by_side = 2;

  LabelledRows rows_of(const TransferSet& set) const {
    return {set.x, set.labels, static_cast<std::int64_t>(layout_.classes.size())};
  }

  static ChosenExamples all_of(const LabelledRows& rows) {
    ChosenExamples all{rows, std::vector<std::int32_t>(rows.labels.size())};
    std::iota(all.rows.begin(), all.rows.end(), 0);
    return all;
  }

  /// Returns for each decay the share of right answers on a fold of those of the training rows that are `among`.
  std::vector<double> fold_shares(const std::vector<std::int32_t>& among,
                                  const std::vector<std::int32_t>& fold_of_example, std::int32_t fold) const {
    const FoldRows places = rows_of_fold(fold_of_example, fold);
    const ChosenExamples train{train_, values_at(std::span(among), places.others)};
    const ChosenExamples development{train_, values_at(std::span(among), places.fold)};
    return shares_of(fit_side_by_side(train, development, decays, settings_, NumpyRandom(settings_.seed)),
                     development.rows.size());
  }

  /// Answers on `test` of a classifier fitted to `train` with the chosen decay.
  std::vector<double> refitted(const ChosenExamples& train, const DecayChoice& choice,
                               const ChosenExamples& test) const {
    const HeldOut split = hold_out(train, settings_.seed);
    const auto fitted = fit_side_by_side(split.train, split.development, std::span(decays).subspan(choice.decay, 1),
                                         settings_, split.random);
    return answers_of(test, fitted.front().weights).values();
  }

  TransferAccuracy tested(const DecayChoice& choice, const std::vector<double>& answers) const {
    const double given_and_actual = answers[2] + answers[3];
    const double f1 = given_and_actual > 0 ? 2 * answers[1] / given_and_actual : 0;
    return {choice.score, percent_of_test(answers, test_.labels.size()), round_as_python(100 * f1)};
  }

  const ClassifierSettings& settings_;
  SharedFits& fits_;
  const TransferLayout& layout_;
  LabelledRows train_, development_, test_;
};

}  // namespace

void check_enough_examples(std::span<const std::uint32_t> labels, const TransferLayout& layout,
                           const ClassifierSettings& settings, const std::string& what) {
  if (layout.protocol == TransferProtocol::development_set) return;
  const bool nested = layout.protocol == TransferProtocol::nested_cross_validation;
  check_folds(labels, layout.classes, settings.folds, nested, what);
  // The largest fold is left out.
  const auto folds = static_cast<std::size_t>(settings.folds);
  const std::size_t learnt = nested ? labels.size() - (labels.size() + folds - 1) / folds : labels.size();
  if (held_out_of(learnt) == 0)
    throw InputError(
        concat(what, ": ", learnt, " examples to learn from are too few to hold one in twenty out: give ", "more"));
}

TransferAccuracy transfer_accuracy(const TransferFeatures& features, const TransferLayout& layout,
                                   const ClassifierSettings& settings, SharedFits& fits) {
  Measuring measuring(features, layout, settings, fits);
  switch (layout.protocol) {
    case TransferProtocol::nested_cross_validation:
      return measuring.nested_cross_validation();
    case TransferProtocol::cross_validation:
      return measuring.cross_validation();
    case TransferProtocol::development_set:
      return measuring.development_set();
  }
  throw std::logic_error("no protocol of this number");
}

}  // namespace gausscse
