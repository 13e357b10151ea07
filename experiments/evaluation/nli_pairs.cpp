#include "experiments/evaluation/nli_pairs.hpp"

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <string>

#include "base/error.hpp"
#include "data/corpus/nli_reader.hpp"
#include "data/corpus/string_table.hpp"
#include "experiments/evaluation/metrics_length.hpp"

namespace gausscse {

NliPairs read_nli_pairs(const std::filesystem::path& file, setting::SickRows rows, UnlabelledPairs unlabelled,
                        const TaskModel& model) {
  NliPairs pairs;
  StringTable table;
  const ReadOptions options{
      .bad_lines = model.bad_lines, .sick_set = rows == setting::SickRows::dev ? "TRIAL" : "TEST", .trim = model.trim};
  for_each_nli_pair(file, options, pairs.report, [&](NliPair&& pair) {
    if (pair.label == NliLabel::none && unlabelled == UnlabelledPairs::leave_out) return;
    pairs.premise.push_back(table.intern(pair.premise));
    pairs.hypothesis.push_back(table.intern(pair.hypothesis));
    pairs.label.push_back(static_cast<std::uint8_t>(pair.label));
    pairs.both_ways.push_back(pair.entails_both_ways ? 1 : 0);
    pairs.length_tells.push_back(length_tells_direction(pair.premise, pair.hypothesis));
  });
  if (pairs.label.empty())
    throw InputError(concat(file.string(), ": none of its ", pairs.report.pairs,
                            " pairs has a gold label: nothing can be compared with; give another set"));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  pairs.sentences.emplace(TokenStore::from_sentences(sentences, model.tokenizer, model.max_tokens, model.threads));
  return pairs;
}

at::Tensor rows_of(const at::Tensor& embeddings, const std::vector<std::uint32_t>& sentences, std::int64_t begin,
                   std::int64_t end) {
  const std::vector<std::int64_t> rows(sentences.begin() + begin, sentences.begin() + end);
  return embeddings.index_select(0, at::tensor(rows, at::kLong));
}

}  // namespace gausscse
