#include "data/tokenizer/bert_normalizer.hpp"

#include <algorithm>
#include <cstddef>

#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

std::u32string clean(std::string_view text, const BertNormalizer& settings) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = next_code_point(text, i);
    if (settings.clean_text) {
      if (is_removed_by_clean_text(c)) continue;
      if (is_white_space(c)) c = U' ';
    }
    if (settings.handle_chinese_characters && is_cjk_ideograph(c)) {
      out.push_back(U' ');
      out.push_back(c);
      out.push_back(U' ');
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::u32string decompose_without_marks(const std::u32string& text) {
  std::u32string decomposed;
  decomposed.reserve(text.size());
  for (const char32_t c : text) {
    if (c < 0xC0) {  // nothing below decomposes
      decomposed.push_back(c);
    } else {
      append_decomposition(c, decomposed);
    }
  }
  // Canonical order: within each run of combining characters, by class, else as they stood.
  auto run = decomposed.begin();
  while (run != decomposed.end()) {
    run = std::find_if(run, decomposed.end(), [](char32_t c) { return c >= 0x300 && combining_class(c) != 0; });
    const auto end = std::find_if(run, decomposed.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::stable_sort(run, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    run = end;
  }
  decomposed.erase(std::remove_if(decomposed.begin(), decomposed.end(), is_nonspacing_mark), decomposed.end());
  return decomposed;
}

}  // namespace

std::string BertNormalizer::normalize(std::string_view text) const {
  std::u32string code_points = clean(text, *this);
  if (strip_accents) code_points = decompose_without_marks(code_points);
  if (lowercase) {
    std::u32string lower;
    lower.reserve(code_points.size());
    for (const char32_t c : code_points) append_lower_case(c, lower);
    code_points = std::move(lower);
  }
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : code_points) append_utf8(c, out);
  return out;
}

}  // namespace gausscse
