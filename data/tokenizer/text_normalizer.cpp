#include "data/tokenizer/text_normalizer.hpp"

#include <algorithm>

#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

// Each `apply_step` returns the changed text, which is in `out` or a part of `text`. `out` is empty before.

std::string_view apply_step(UnicodeForm form, std::string_view text, std::string& out) {
  // Characters below U+0300 are in NFC, and those below U+00A0 in NFKC.
  const unsigned char first_other = form == UnicodeForm::nfc ? 0xCC : 0xC2;
  const auto is_other = [&](char byte) { return static_cast<unsigned char>(byte) >= first_other; };
  return std::any_of(text.begin(), text.end(), is_other) && append_normalized(form, text, out) ? out : text;
}

std::string_view apply_step(const PrecompiledCharsmap& charsmap, std::string_view text, std::string& out) {
  return charsmap.append_replaced(text, out) ? out : text;
}

std::string_view apply_step(const ReplaceText& replace, std::string_view text, std::string& out) {
  const std::string run =
      replace.least_run == 0 ? replace.pattern : std::string(replace.least_run, replace.pattern.front());
  std::size_t copied = 0;
  for (std::size_t at = text.find(run); at != std::string_view::npos; at = text.find(run, copied)) {
    out.append(text.substr(copied, at - copied)).append(replace.content);
    copied = at + run.size();
    if (replace.least_run > 0) copied = std::min(text.find_first_not_of(run.front(), copied), text.size());
  }
  return copied == 0 ? text : out.append(text.substr(copied));
}

std::string_view apply_step(const StripSpace& strip, std::string_view text, std::string& /*out*/) {
  while (strip.left && !text.empty()) {
    std::size_t behind = 0;
    if (!is_white_space(next_code_point(text, behind))) break;
    text.remove_prefix(behind);
  }
  while (strip.right && !text.empty()) {
    std::size_t end = text.size();
    if (!is_white_space(previous_code_point(text, end))) break;
    text = text.substr(0, end);
  }
  return text;
}

bool is_removed_by_nmt(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}

bool is_space_of_nmt(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
         c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

std::string_view apply_step(NmtSpaces /*step*/, std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_space_of_nmt(c))
      out += ' ';
    else if (!is_removed_by_nmt(c))
      out += text.substr(begin, at - begin);
  }
  return out;
}

}  // namespace

std::string_view TextNormalizer::normalize(std::string_view text, std::string& buffer) const {
  std::string out;
  for (const Step& step : steps_) {
    out.clear();
    text = std::visit([&](const auto& kind) { return apply_step(kind, text, out); }, step);
    if (text.data() != out.data()) continue;
    buffer.swap(out);
    text = buffer;
  }
  return text;
}

}  // namespace gausscse
