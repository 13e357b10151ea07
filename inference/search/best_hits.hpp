#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Best hits of one query so far, at most `top` of them.
class BestHits {
 public:
  BestHits(SearchDirection direction, std::size_t top) : direction_(direction), top_(top) {}

  void add(const SearchHit& hit) {
    if (is_full()) {
      if (!comes_before(hit, hits_.front(), direction_)) return;
      std::pop_heap(hits_.begin(), hits_.end(), Order{direction_});
      hits_.pop_back();
    }
    hits_.push_back(hit);
    std::push_heap(hits_.begin(), hits_.end(), Order{direction_});
  }

  bool is_full() const { return hits_.size() == top_; }
  /// Returns the similarity of the last of the hits, of which there is one: below it no row can be among the best of a
  /// full list.
  double threshold() const { return ordering_similarity(hits_.front(), direction_); }

  /// Returns the hits, the best first.
  std::vector<SearchHit> sorted() const {
    std::vector<SearchHit> hits = hits_;
    std::sort_heap(hits.begin(), hits.end(), Order{direction_});
    return hits;
  }

 private:
  struct Order {
    SearchDirection direction;
    bool operator()(const SearchHit& a, const SearchHit& b) const { return comes_before(a, b, direction); }
  };

  SearchDirection direction_;
  std::size_t top_;
  std::vector<SearchHit> hits_;  ///< a heap with the last of the order in front
};

}  // namespace gausscse
