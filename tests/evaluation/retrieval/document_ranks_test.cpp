#include "evaluation/retrieval/document_ranks.hpp"

#include <ATen/ops/empty.h>

#include "base/philox.hpp"
#include "model/objective/similarity.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<std::int64_t>;

/// More queries and documents than a tile has. The documents from 2,000 on are equal to the first ones, so that equal
/// similarities lie in both tiles; queries are rows behind them, in falling order.
class DocumentRanksTest : public testing::Test {
 protected:
  static constexpr std::int64_t queries = 1030, documents = 2060, width = 4;

  DocumentRanksTest() : rows_(at::empty({queries + documents, width}, at::kFloat)) {
    PhiloxStream stream(3, 1);
    auto* const value = rows_.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < rows_.numel(); ++i) value[i] = static_cast<float>(stream.below(2001)) / 500 - 2;
    std::copy(value, value + 60 * width, value + 2000 * width);
    documents_.resize(documents);
    std::iota(documents_.begin(), documents_.end(), 0);
    for (std::int64_t i = 0; i < queries; ++i) {
      queries_.push_back(documents + queries - 1 - i);
      RetrievalQuery query;
      const auto relevant = static_cast<std::uint32_t>(stream.below(60));
      query.relevant = {{relevant + 2000, 1}, {relevant, 2}, {static_cast<std::uint32_t>(100 + i), 1}};
      query.left_out = static_cast<std::uint32_t>(i % 2 == 0 ? 1200 + i / 2 : 2059);
      if (query.relevant[0].document == query.left_out) query.left_out = 60;
      judged_.push_back(query);
    }
  }

  double similarity(std::int64_t query, std::int64_t document, Similarity kind, RankedBy order) const {
    const float* const q = rows_.const_data_ptr<float>() + queries_[static_cast<std::size_t>(query)] * width;
    const float* const d = rows_.const_data_ptr<float>() + document * width;
    const double forward = row_similarity(q, d, width, kind), backward = row_similarity(d, q, width, kind);
    if (order == RankedBy::entails) return forward;
    if (order == RankedBy::entailed_by) return backward;
    return cosine(q, d, is_gaussian(kind) ? width / 2 : width);
  }

  /// Returns the ranks by comparing each relevant document with each other one.
  Numbers expected(std::int64_t query, Similarity kind, RankedBy order) const {
    const RetrievalQuery& of_query = judged_[static_cast<std::size_t>(query)];
    std::vector<double> all;
    for (std::int64_t j = 0; j < documents; ++j) all.push_back(similarity(query, j, kind, order));
    Numbers ranks;
    for (const RelevantDocument& relevant : of_query.relevant) {
      std::int64_t rank = 1;
      for (std::size_t j = 0; j < all.size(); ++j)
        rank += j != of_query.left_out &&
                (all[j] > all[relevant.document] || (all[j] == all[relevant.document] && j < relevant.document));
      ranks.push_back(rank);
    }
    return ranks;
  }

  std::vector<DocumentRanks> ranks(Similarity kind, std::span<const RankedBy> orders, std::size_t threads) const {
    return document_ranks({rows_, queries_, documents_}, judged_, kind, orders, threads);
  }

  at::Tensor rows_;
  Numbers queries_, documents_;
  std::vector<RetrievalQuery> judged_;
};

TEST_F(DocumentRanksTest, AreThoseOfComparingAllDocuments) {
  const std::vector<RankedBy> orders{RankedBy::cosine, RankedBy::entailed_by, RankedBy::entails};
  for (const Similarity kind : {Similarity::joint, Similarity::cosine}) {
    const std::span of_kind = std::span(orders).first(is_gaussian(kind) ? orders.size() : 1);
    const std::vector<DocumentRanks> found = ranks(kind, of_kind, 2);
    ASSERT_EQ(found.size(), of_kind.size());
    for (std::size_t order = 0; order < of_kind.size(); ++order)
      for (std::int64_t query = 0; query < queries; query += query < 8 || query > 1015 ? 1 : 13)
        ASSERT_EQ(found[order][static_cast<std::size_t>(query)], expected(query, kind, orders[order]))
            << "query " << query << ", order " << order;
    EXPECT_EQ(ranks(kind, of_kind, 1), found);
  }
}

/// A copy of a document has the next rank.
TEST_F(DocumentRanksTest, EqualDocumentsAreOrderedByTheirNumbers) {
  const std::vector<RankedBy> orders{RankedBy::entails};
  const DocumentRanks found = ranks(Similarity::per_dimension, orders, 2)[0];
  for (const std::vector<std::int64_t>& of_query : found) ASSERT_EQ(of_query[0], of_query[1] + 1);
}

}  // namespace
}  // namespace gausscse
