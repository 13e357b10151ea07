#pragma once

#include <ATen/ops/empty.h>

#include "base/choice.hpp"
#include "base/strict_json.hpp"
#include "data/transfer/transfer_examples.hpp"
#include "evaluation/transfer/linear_classifier.hpp"
#include "evaluation/transfer/transfer_accuracy.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

inline nlohmann::json transfer_golden(const std::string& file) {
  return read_strict_json(golden("transfer/" + file));
}

/// Vectors of sentences as tests/golden/make_transfer.py makes them, [sentences, width].
inline at::Tensor hashed_vectors(const std::vector<std::string>& sentences, std::int64_t width) {
  at::Tensor vectors = at::empty({static_cast<std::int64_t>(sentences.size()), width}, at::kFloat);
  float* row = vectors.mutable_data_ptr<float>();
  for (const std::string& sentence : sentences) {
    std::vector<std::int64_t> total(static_cast<std::size_t>(width));
    std::int64_t words = 0;
    for (std::size_t begin = 0; begin < sentence.size();) {
      const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
      std::uint32_t state = 2166136261u;
      for (std::size_t i = begin; i < end; ++i) state = (state ^ static_cast<unsigned char>(sentence[i])) * 16777619u;
      for (std::int64_t& sum : total) {
        state = state * 1664525u + 1013904223u;
        sum += static_cast<std::int64_t>((state >> 24) % 16) - 8;
      }
      ++words;
      begin = end + 1;
    }
    for (const std::int64_t sum : total)
      *row++ = static_cast<float>(sum) / static_cast<float>(8 * std::max<std::int64_t>(1, words));
  }
  return vectors;
}

inline TransferSet hashed_set(const std::vector<TransferExample>& examples, bool pairs, std::int64_t width) {
  std::vector<std::string> sentences;
  std::vector<std::uint32_t> first, second, labels;
  for (const TransferExample& example : examples) {
    first.push_back(static_cast<std::uint32_t>(sentences.size()));
    sentences.push_back(example.first);
    second.push_back(static_cast<std::uint32_t>(sentences.size()));
    sentences.push_back(example.second);
    labels.push_back(example.label);
  }
  const at::Tensor vectors = hashed_vectors(sentences, width);
  return {pairs ? pair_features(vectors, width, first, second) : sentence_features(vectors, width, first), labels};
}

/// Returns the features of a task in the golden's folder.
inline TransferFeatures hashed_features(TransferDataset dataset, std::int64_t width) {
  ReadReport report;
  const TransferExamples examples =
      read_transfer_dataset(dataset, golden("transfer/downstream"), BadLines::error, report);
  const bool pairs = layout_of(dataset).pairs;
  return {hashed_set(examples.train, pairs, width), hashed_set(examples.development, pairs, width),
          hashed_set(examples.test, pairs, width)};
}

inline LabelledRows rows_of(const TransferSet& set, TransferDataset dataset) {
  return {set.x, set.labels, static_cast<std::int64_t>(layout_of(dataset).classes.size())};
}

inline ClassifierSettings golden_settings(const std::string& mode) {
  return classifier_settings(*find_choice<setting::TransferMode>(mode), 1111);
}

}  // namespace gausscse
