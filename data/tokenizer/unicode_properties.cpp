#include "data/tokenizer/unicode_properties.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "data/tokenizer/icu_status.hpp"

namespace gausscse {

namespace {

// Unicode versions as u_charAge orders them; an unassigned code point has age 0.
constexpr int unicode_8_0 = 8 << 8;
constexpr int unicode_9_0 = 9 << 8;
constexpr int unicode_16_0 = 16 << 8;
constexpr int unicode_17_0 = 17 << 8;

UChar32 icu_code_point(char32_t c) {
  return static_cast<UChar32>(c);
}

bool assigned_by(char32_t c, int version) {
  UVersionInfo age;
  u_charAge(icu_code_point(c), age);
  const int value = age[0] << 8 | age[1];
  return value != 0 && value <= version;
}

std::uint32_t category_mask(char32_t c) {
  return U_GET_GC_MASK(icu_code_point(c));
}

// Letters, numbers and marks that came after Unicode 15.0, the version of ICU 72, up to 16.0.
enum class NewKind : std::uint8_t { letter, number, mark };

struct NewRange {
  char32_t first;
  char32_t last;
  NewKind kind;
};

constexpr NewRange new_in_unicode_16[] = {
    {0x897, 0x897, NewKind::mark},       {0x1C89, 0x1C8A, NewKind::letter},   {0xA7CB, 0xA7CD, NewKind::letter},
    {0xA7DA, 0xA7DC, NewKind::letter},   {0x105C0, 0x105F3, NewKind::letter}, {0x10D40, 0x10D49, NewKind::number},
    {0x10D4A, 0x10D65, NewKind::letter}, {0x10D69, 0x10D6D, NewKind::mark},   {0x10D6F, 0x10D85, NewKind::letter},
    {0x10EC2, 0x10EC4, NewKind::letter}, {0x10EFC, 0x10EFC, NewKind::mark},   {0x11380, 0x11389, NewKind::letter},
    {0x1138B, 0x1138B, NewKind::letter}, {0x1138E, 0x1138E, NewKind::letter}, {0x11390, 0x113B5, NewKind::letter},
    {0x113B7, 0x113B7, NewKind::letter}, {0x113B8, 0x113C0, NewKind::mark},   {0x113C2, 0x113C2, NewKind::mark},
    {0x113C5, 0x113C5, NewKind::mark},   {0x113C7, 0x113CA, NewKind::mark},   {0x113CC, 0x113D0, NewKind::mark},
    {0x113D1, 0x113D1, NewKind::letter}, {0x113D2, 0x113D2, NewKind::mark},   {0x113D3, 0x113D3, NewKind::letter},
    {0x113E1, 0x113E2, NewKind::mark},   {0x116D0, 0x116E3, NewKind::number}, {0x11BC0, 0x11BE0, NewKind::letter},
    {0x11BF0, 0x11BF9, NewKind::number}, {0x11F5A, 0x11F5A, NewKind::mark},   {0x13460, 0x143FA, NewKind::letter},
    {0x16100, 0x1611D, NewKind::letter}, {0x1611E, 0x1612F, NewKind::mark},   {0x16130, 0x16139, NewKind::number},
    {0x16D40, 0x16D6C, NewKind::letter}, {0x16D70, 0x16D79, NewKind::number}, {0x18CFF, 0x18CFF, NewKind::letter},
    {0x1CCF0, 0x1CCF9, NewKind::number}, {0x1E5D0, 0x1E5ED, NewKind::letter}, {0x1E5EE, 0x1E5EF, NewKind::mark},
    {0x1E5F0, 0x1E5F0, NewKind::letter}, {0x1E5F1, 0x1E5FA, NewKind::number}, {0x2EBF0, 0x2EE5D, NewKind::letter},
};

// Capitals that came after Unicode 15.0, up to 17.0: each maps to itself + `distance`.
struct NewCapitals {
  char32_t first;
  char32_t last;
  std::int32_t distance;
};

constexpr NewCapitals new_capitals[] = {
    {0x1C89, 0x1C89, 1},      {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
    {0xA7CC, 0xA7CC, 1},      {0xA7CE, 0xA7CE, 1},
    {0xA7D2, 0xA7D2, 1},      {0xA7D4, 0xA7D4, 1},
    {0xA7DA, 0xA7DA, 1},      {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
    {0x10D50, 0x10D65, 0x20}, {0x16EA0, 0x16EB8, 0x1B},
};

template <typename Range, std::size_t size>
const Range* find_range(const Range (&ranges)[size], char32_t c) {
  const Range* range =
      std::lower_bound(std::begin(ranges), std::end(ranges), c, [](const Range& r, char32_t x) { return r.last < x; });
  return range != std::end(ranges) && range->first <= c ? range : nullptr;
}

const icu::Normalizer2& nfd() {
  static const icu::Normalizer2& instance = [&]() -> const icu::Normalizer2& {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* normalizer = icu::Normalizer2::getNFDInstance(status);
    check_icu(status);
    return *normalizer;
  }();
  return instance;
}

/// A form of the characters that Unicode 9.0 has.
class FormOfUnicode9 {
 public:
  explicit FormOfUnicode9(UnicodeForm form) {
    const icu::Normalizer2* all = form == UnicodeForm::nfc ? icu::Normalizer2::getNFCInstance(status_)
                                                           : icu::Normalizer2::getNFKCInstance(status_);
    characters_.applyPattern(u"[:age=9.0:]", status_);
    check_icu(status_);
    characters_.freeze();
    normalizer_.emplace(*all, characters_);
  }

  const icu::FilteredNormalizer2& normalizer() const { return *normalizer_; }

 private:
  UErrorCode status_ = U_ZERO_ERROR;
  icu::UnicodeSet characters_;
  std::optional<icu::FilteredNormalizer2> normalizer_;
};

}  // namespace

bool is_white_space(char32_t c) {
  return u_isUWhiteSpace(icu_code_point(c));
}

bool is_removed_by_clean_text(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  if (c == 0xFFFD) return true;
  return (category_mask(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0 && assigned_by(c, unicode_8_0);
}

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80)
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
  if (c == 0x166D || c == 0x111C9) return true;  // category P in Unicode 8.0, no longer
  return (category_mask(c) & U_GC_P_MASK) != 0 && assigned_by(c, unicode_8_0);
}

bool is_cjk_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_nonspacing_mark(char32_t c) {
  switch (c) {
    case 0x1734:  // category Mn in Unicode 8.0, no longer
      return true;
    case 0x1885:  // category Mn only after Unicode 8.0
    case 0x1886:
    case 0xA9BD:
    case 0x111C9:
      return false;
    default:
      return u_charType(icu_code_point(c)) == U_NON_SPACING_MARK && assigned_by(c, unicode_8_0);
  }
}

std::uint8_t combining_class(char32_t c) {
  const std::uint8_t value = u_getCombiningClass(icu_code_point(c));
  return value != 0 && assigned_by(c, unicode_9_0) ? value : 0;
}

void append_decomposition(char32_t c, std::u32string& out) {
  icu::UnicodeString decomposition;
  if (!nfd().getDecomposition(icu_code_point(c), decomposition) || !assigned_by(c, unicode_9_0)) {
    out.push_back(c);
    return;
  }
  for (std::int32_t i = 0; i < decomposition.length(); i = decomposition.moveIndex32(i, 1))
    out.push_back(static_cast<char32_t>(decomposition.char32At(i)));
}

bool append_normalized(UnicodeForm form, std::string_view text, std::string& out) {
  static const FormOfUnicode9 nfc(UnicodeForm::nfc), nfkc(UnicodeForm::nfkc);
  const icu::FilteredNormalizer2& normalizer = (form == UnicodeForm::nfc ? nfc : nfkc).normalizer();
  const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  if (normalizer.isNormalizedUTF8(piece, status) != 0) return false;
  icu::StringByteSink<std::string> sink(&out);
  normalizer.normalizeUTF8(0, piece, sink, nullptr, status);
  check_icu(status);
  return true;
}

void append_lower_case(char32_t c, std::u32string& out) {
  if (c == 0x130) {
    out += U"i\u0307";
  } else if (const NewCapitals* capitals = find_range(new_capitals, c)) {
    out.push_back(c + static_cast<char32_t>(capitals->distance));
  } else {
    const auto lower = static_cast<char32_t>(u_tolower(icu_code_point(c)));
    out.push_back(lower == c || assigned_by(c, unicode_17_0) ? lower : c);
  }
}

ByteLevelClass byte_level_class(char32_t c) {
  if (is_white_space(c)) return ByteLevelClass::space;
  const std::uint32_t mask = category_mask(c);
  if ((mask & (U_GC_L_MASK | U_GC_N_MASK)) != 0 && assigned_by(c, unicode_16_0))
    return (mask & U_GC_L_MASK) != 0 ? ByteLevelClass::letter : ByteLevelClass::number;
  const NewRange* range = find_range(new_in_unicode_16, c);
  if (range == nullptr || range->kind == NewKind::mark) return ByteLevelClass::other;
  return range->kind == NewKind::letter ? ByteLevelClass::letter : ByteLevelClass::number;
}

bool is_word_character(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z');
  if (find_range(new_in_unicode_16, c) != nullptr) return true;
  if (!assigned_by(c, unicode_16_0)) return false;
  return (category_mask(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         u_hasBinaryProperty(icu_code_point(c), UCHAR_ALPHABETIC) ||
         u_hasBinaryProperty(icu_code_point(c), UCHAR_JOIN_CONTROL);
}

}  // namespace gausscse
