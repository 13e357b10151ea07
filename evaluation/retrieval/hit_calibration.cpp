#include "evaluation/retrieval/hit_calibration.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "evaluation/calibration/calibrator_metrics.hpp"
#include "inference/search/hit_answers.hpp"
#include "inference/search/top_rows.hpp"

namespace gausscse {

namespace {

/// Documents that are copied at once.
constexpr std::size_t documents_at_once = 65536;

std::vector<bool> fitted_queries(const RetrievalSet& set) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::uint32_t> text_of_query;
  for (const RetrievalQuery& query : set.queries) {
    const auto [text, is_new] = numbers.try_emplace(query.text, static_cast<std::uint32_t>(texts.size()));
    if (is_new) texts.push_back(query.text);
    text_of_query.push_back(text->second);
  }
  return fitted_pairs(texts, text_of_query);
}

/// Queries and probabilities of a bin.
struct ReliabilityBin {
  double queries = 0, stated = 0, right = 0;
};

void add_reliability(const std::vector<double>& p, const std::vector<std::uint8_t>& right,
                     std::vector<Metric>& metrics) {
  std::array<ReliabilityBin, reliability_bins> bins;
  for (std::size_t i = 0; i < p.size(); ++i) {
    ReliabilityBin& bin =
        bins.at(std::min(static_cast<std::size_t>(p[i] * reliability_bins), std::size_t{reliability_bins - 1}));
    bin.queries += 1;
    bin.stated += p[i];
    bin.right += right[i];
  }
  for (int i = 0; i < reliability_bins; ++i) {
    const ReliabilityBin& bin = bins.at(static_cast<std::size_t>(i));
    if (bin.queries == 0) continue;
    metrics.push_back({bin_prefix(i) + "queries", bin.queries, Unit::count});
    metrics.push_back({bin_prefix(i) + "stated", bin.stated / bin.queries});
    metrics.push_back({bin_prefix(i) + "right", bin.right / bin.queries});
  }
}

}  // namespace

std::string bin_prefix(int bin) {
  constexpr int width = 100 / reliability_bins;
  return concat("stated_", bin * width, "_", (bin + 1) * width, ".");
}

std::vector<LabelledHit> labelled_hits(const RetrievalRows& embeddings, const RetrievalSet& set, Similarity similarity,
                                       std::size_t threads) {
  TopRows search(selected_rows(embeddings.rows, embeddings.queries), similarity, SearchDirection::entails,
                 compared_hits + 1, threads);
  for (std::size_t first = 0; first < embeddings.documents.size(); first += documents_at_once) {
    const std::size_t count = std::min(documents_at_once, embeddings.documents.size() - first);
    search.add(selected_rows(embeddings.rows, embeddings.documents.subspan(first, count)), first);
  }
  const std::vector<bool> fitted = fitted_queries(set);
  std::vector<std::vector<SearchHit>> found = search.hits();
  std::vector<LabelledHit> labelled;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<SearchHit>& hits = found[i];
    const RetrievalQuery& query = set.queries[i];
    std::erase_if(hits, [&](const SearchHit& hit) { return query.left_out && hit.row == *query.left_out; });
    const std::optional<HitEvidence> evidence = best_hit_evidence(hits);
    if (!evidence) continue;
    const bool right = std::any_of(query.relevant.begin(), query.relevant.end(),
                                   [&](const RelevantDocument& each) { return each.document == hits.front().row; });
    labelled.push_back({*evidence, right, fitted[i]});
  }
  return labelled;
}

std::string hash_of_set(const RetrievalSet& set) {
  ContentHasher hasher;
  const auto add = [&](std::string_view text) {
    hasher.add(text);
    hasher.add({"\0", 1});
  };
  for (const std::string& document : set.documents) add(document);
  for (const RetrievalQuery& query : set.queries) {
    add(query.text);
    for (const RelevantDocument& each : query.relevant) add(concat(each.document, " ", each.grade));
    add(query.left_out ? concat("without ", *query.left_out) : "with all");
  }
  return hasher.digits();
}

std::vector<Metric> hit_metrics(const Calibration& calibration, bool own, const std::vector<LabelledHit>& hits,
                                int threads) {
  std::vector<std::uint8_t> right;
  std::vector<std::vector<double>> p_of_calibrators(names<Calibrator>.size());
  for (const LabelledHit& hit : hits) {
    if (own && hit.fitted) continue;
    right.push_back(hit.right ? 1 : 0);
    for (const auto& [calibrator, name] : names<Calibrator>)
      p_of_calibrators[static_cast<std::size_t>(calibrator)].push_back(
          calibration.is_of_hits() ? calibration.probability(hit.evidence, calibrator)
                                   : calibration.probability(hit.evidence.pair, calibrator));
  }
  std::vector<Metric> metrics;
  if (right.empty()) return metrics;
  const std::vector<CalibrationError> errors =
      calibration_errors(p_of_calibrators, right, ItemClusters(right.size()), threads);
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const auto each = static_cast<std::size_t>(calibrator);
    const Answers answers = found_answers(p_of_calibrators[each], right);
    std::vector<Metric> more =
        calibrator_metrics(std::string(name), p_of_calibrators[each], right, errors[each], answers);
    metrics.insert(metrics.end(), more.begin(), more.end());
    if (!calibration.is_of_hits()) continue;
    more = promise_metrics(calibration, calibrator, answers);
    metrics.insert(metrics.end(), more.begin(), more.end());
  }
  add_reliability(p_of_calibrators[static_cast<std::size_t>(calibration.usual_calibrator())], right, metrics);
  return metrics;
}

}  // namespace gausscse
