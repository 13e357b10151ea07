#include "data/tokenizer/text_normalizer.hpp"

#include <algorithm>

namespace gausscse {

namespace {

/// Each `apply_step` returns whether the step changes `text`, and then sets `out`, which is empty before.
bool apply_step(UnicodeForm form, std::string_view text, std::string& out) {
  // Characters below U+0300 are in NFC, and those below U+00A0 in NFKC.
  const unsigned char first_other = form == UnicodeForm::nfc ? 0xCC : 0xC2;
  const auto is_other = [&](char byte) { return static_cast<unsigned char>(byte) >= first_other; };
  return std::any_of(text.begin(), text.end(), is_other) && append_normalized(form, text, out);
}

}  // namespace

std::string_view TextNormalizer::normalize(std::string_view text, std::string& buffer) const {
  std::string out;
  for (const Step& step : steps_) {
    out.clear();
    if (!std::visit([&](const auto& kind) { return apply_step(kind, text, out); }, step)) continue;
    buffer.swap(out);
    text = buffer;
  }
  return text;
}

}  // namespace gausscse
