#include "data/tokenizer/grapheme_clusters.hpp"

#include <unicode/ucptrie.h>
#include <unicode/umutablecptrie.h>
#include <unicode/uniset.h>

#include <cstdint>

#include "data/tokenizer/icu_status.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

/// Classes of characters that the rules distinguish.
enum class Cluster : std::uint8_t {
  other,
  control,
  carriage_return,
  line_feed,
  extend,
  non_joiner,  ///< extends, but not within a conjunct
  joiner,
  linker,  ///< joins consonants of Indic scripts
  spacing_mark,
  prepend,
  consonant,
  pictograph,
  regional,
  leading,
  vowel,
  trailing,
  leading_vowel,
  leading_vowel_trailing
};

struct ClassSet {
  Cluster kind;
  const char16_t* pattern;
};

/// Sets of the classes, a later one before an earlier one: ICU's, of Unicode 15.0, and what came until 17.0.
constexpr ClassSet class_sets[] = {
    {Cluster::pictograph,
     u"[[:Extended_Pictographic:]&[[:Emoji:][:Cn:]]-[\\U0001F777-\\U0001F77A\\U0001F8B2-\\U0001F8BB\\U0001F8C0"
     u"\\U0001F8C1\\U0001F8D0-\\U0001F8D8\\U0001FA54-\\U0001FA57]]"},
    {Cluster::consonant,
     u"[\\u0915-\\u0939\\u0958-\\u095F\\u0978-\\u097F\\u0995-\\u09A8\\u09AA-\\u09B0\\u09B2\\u09B6-\\u09B9\\u09DC"
     u"\\u09DD\\u09DF\\u09F0\\u09F1\\u0A95-\\u0AA8\\u0AAA-\\u0AB0\\u0AB2\\u0AB3\\u0AB5-\\u0AB9\\u0AF9\\u0B15-\\u0B28"
     u"\\u0B2A-\\u0B30\\u0B32\\u0B33\\u0B35-\\u0B39\\u0B5C\\u0B5D\\u0B5F\\u0B71\\u0C15-\\u0C28\\u0C2A-\\u0C39"
     u"\\u0C58-\\u0C5A\\u0D15-\\u0D3A\\u1000-\\u102A\\u103F\\u1050-\\u1055\\u105A-\\u105D\\u1061\\u1065\\u1066"
     u"\\u106E-\\u1070\\u1075-\\u1081\\u108E\\u1780-\\u17B3\\u1A20-\\u1A54\\u1B0B\\u1B0C\\u1B13-\\u1B33"
     u"\\u1B45-\\u1B4C\\u1B83-\\u1BA0\\u1BAE\\u1BAF\\u1BBB-\\u1BBD\\uA989-\\uA98B\\uA98F-\\uA9B2\\uA9E0-\\uA9E4"
     u"\\uA9E7-\\uA9EF\\uA9FA-\\uA9FE\\uAA60-\\uAA6F\\uAA71-\\uAA73\\uAA7A\\uAA7E\\uAA7F\\uAAE0-\\uAAEA"
     u"\\uABC0-\\uABDA]"},
    {Cluster::control, u"[:Grapheme_Cluster_Break=Control:]"},
    {Cluster::carriage_return, u"[\\u000D]"},
    {Cluster::line_feed, u"[\\u000A]"},
    {Cluster::extend,
     u"[[:Grapheme_Cluster_Break=Extend:]\\u0897\\u1ACF-\\u1ADD\\u1AE0-\\u1AEB\\U00010D69-\\U00010D6D"
     u"\\U00010EFA-\\U00010EFC\\U000113B8-\\U000113C0\\U000113C2\\U000113C5\\U000113C7-\\U000113C9\\U000113CE"
     u"\\U000113CF\\U000113D2\\U000113E1\\U000113E2\\U00011B60\\U00011B62-\\U00011B64\\U00011B66\\U00011F5A"
     u"\\U0001611E-\\U00016129\\U0001612D-\\U0001612F\\U0001E5EE\\U0001E5EF\\U0001E6E3\\U0001E6E6\\U0001E6EE"
     u"\\U0001E6EF\\U0001E6F5]"},
    {Cluster::spacing_mark,
     u"[[:Grapheme_Cluster_Break=SpacingMark:]\\U000113B9\\U000113BA\\U000113CA\\U000113CC\\U000113CD\\U00011B61"
     u"\\U00011B65\\U00011B67\\U0001612A-\\U0001612C]"},
    {Cluster::non_joiner, u"[\\u200C]"},
    {Cluster::joiner, u"[\\u200D]"},
    {Cluster::linker,
     u"[\\u094D\\u09CD\\u0ACD\\u0B4D\\u0C4D\\u0D4D\\u1039\\u17D2\\u1A60\\u1B44\\u1BAB\\uA9C0\\uAAF6\\U00010A3F"
     u"\\U00011133\\U000113D0\\U0001193E\\U00011A47\\U00011A99\\U00011F42]"},
    {Cluster::prepend, u"[[[:Grapheme_Cluster_Break=Prepend:]\\U000113D1]-[\\U00011A3A]]"},
    {Cluster::regional, u"[:Grapheme_Cluster_Break=Regional_Indicator:]"},
    {Cluster::leading, u"[:Grapheme_Cluster_Break=L:]"},
    {Cluster::vowel, u"[:Grapheme_Cluster_Break=V:]"},
    {Cluster::trailing, u"[:Grapheme_Cluster_Break=T:]"},
    {Cluster::leading_vowel, u"[:Grapheme_Cluster_Break=LV:]"},
    {Cluster::leading_vowel_trailing, u"[:Grapheme_Cluster_Break=LVT:]"},
};

/// Class of each code point.
class ClusterClasses {
 public:
  ClusterClasses() {
    UErrorCode status = U_ZERO_ERROR;
    const icu::LocalUMutableCPTriePointer classes(umutablecptrie_open(0, 0, &status));
    for (const auto& [kind, pattern] : class_sets) {
      const icu::UnicodeSet set(pattern, status);
      for (std::int32_t range = 0; range < set.getRangeCount(); ++range)
        umutablecptrie_setRange(classes.getAlias(), set.getRangeStart(range), set.getRangeEnd(range),
                                static_cast<std::uint32_t>(kind), &status);
    }
    classes_.adoptInstead(
        umutablecptrie_buildImmutable(classes.getAlias(), UCPTRIE_TYPE_FAST, UCPTRIE_VALUE_BITS_8, &status));
    check_icu(status);
  }

  Cluster of(char32_t c) const {
    return static_cast<Cluster>(UCPTRIE_FAST_GET(classes_.getAlias(), UCPTRIE_8, static_cast<UChar32>(c)));
  }

 private:
  icu::LocalUCPTriePointer classes_;
};

bool is_control(Cluster kind) {
  return kind == Cluster::control || kind == Cluster::carriage_return || kind == Cluster::line_feed;
}

bool is_extending(Cluster kind) {
  return kind == Cluster::extend || kind == Cluster::non_joiner || kind == Cluster::joiner || kind == Cluster::linker;
}

/// Returns whether rules GB6 to GB8 keep two parts of a Hangul syllable together.
bool is_within_syllable(Cluster before, Cluster next) {
  switch (before) {
    case Cluster::leading:
      return next == Cluster::leading || next == Cluster::vowel || next == Cluster::leading_vowel ||
             next == Cluster::leading_vowel_trailing;
    case Cluster::leading_vowel:
    case Cluster::vowel:
      return next == Cluster::vowel || next == Cluster::trailing;
    case Cluster::leading_vowel_trailing:
    case Cluster::trailing:
      return next == Cluster::trailing;
    default:
      return false;
  }
}

/// The part of a cluster that has been read, as far as the rules look back.
class ReadPart {
 public:
  explicit ReadPart(Cluster first) : last_(first), base_(first) {}

  /// Returns whether no cluster ends between this part and a character.
  bool goes_on_with(Cluster next) const {
    if (is_control(last_) || is_control(next)) return last_ == Cluster::carriage_return && next == Cluster::line_feed;
    if (is_extending(next) || next == Cluster::spacing_mark || last_ == Cluster::prepend) return true;
    if (next == Cluster::consonant) return is_linked_ && base_ == Cluster::consonant;
    if (next == Cluster::pictograph) return last_ == Cluster::joiner && joiners_ == 1 && base_ == Cluster::pictograph;
    if (next == Cluster::regional) return last_ == Cluster::regional && is_odd_;
    return is_within_syllable(last_, next);
  }

  void append(Cluster next) {
    is_odd_ = next != Cluster::regional || !is_odd_ || last_ != Cluster::regional;
    last_ = next;
    if (!is_extending(next)) {
      *this = ReadPart(next, is_odd_);
      return;
    }
    if (next == Cluster::non_joiner && base_ == Cluster::consonant) base_ = Cluster::other;
    joiners_ += next == Cluster::joiner;
    is_linked_ |= next == Cluster::linker;
  }

 private:
  ReadPart(Cluster first, bool is_odd) : last_(first), base_(first), is_odd_(is_odd) {}

  Cluster last_;
  Cluster base_;            ///< last character that does not extend another one
  unsigned joiners_ = 0;    ///< number of those behind it
  bool is_linked_ = false;  ///< true if a linker is behind it
  bool is_odd_ = true;      ///< true if the regional indicators at the end are an odd number
};

}  // namespace

std::size_t grapheme_cluster_end(std::string_view text, std::size_t begin) {
  static const ClusterClasses classes;
  std::size_t end = begin;
  ReadPart part(classes.of(next_code_point(text, end)));
  for (std::size_t behind = end; behind < text.size(); end = behind) {
    const Cluster next = classes.of(next_code_point(text, behind));
    if (!part.goes_on_with(next)) break;
    part.append(next);
  }
  return end;
}

}  // namespace gausscse
