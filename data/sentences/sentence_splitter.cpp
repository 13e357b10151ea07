#include "data/sentences/sentence_splitter.hpp"

#include <unicode/ubrk.h>
#include <unicode/uloc.h>
#include <unicode/utext.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw std::runtime_error(concat("ICU: ", what, ": ", u_errorName(status)));
}

/// Returns ICU's name of the locale.
std::string locale_of(const std::string& tag) {
  char name[ULOC_FULLNAME_CAPACITY] = {};
  std::int32_t parsed = 0;
  UErrorCode status = U_ZERO_ERROR;
  uloc_forLanguageTag(tag.c_str(), name, sizeof name, &parsed, &status);
  if (U_FAILURE(status) || status == U_STRING_NOT_TERMINATED_WARNING || tag.empty() ||
      static_cast<std::size_t>(parsed) != tag.size())
    throw InputError(concat("the locale ", quoted(tag), " is no language tag of BCP 47: give one such as en, de-AT or ",
                            english_with_abbreviations));
  const bool has_language = name[0] != '\0' && name[0] != '@' && name[0] != '_';
  if (has_language && uloc_getISO3Language(name)[0] == '\0')
    throw InputError(concat("the locale ", quoted(tag),
                            " has a language that is not known: give one such as en or de, ", "or und for none"));
  return name;
}

}  // namespace

struct SentenceSplitter::State {
  struct Close {
    void operator()(UBreakIterator* opened) const { ubrk_close(opened); }
    void operator()(UText* opened) const { utext_close(opened); }
  };
  std::unique_ptr<UText, Close> text;
  std::unique_ptr<UBreakIterator, Close> breaks;
};

SentenceSplitter::SentenceSplitter(const std::string& language_tag) : state_(std::make_unique<State>()) {
  UErrorCode status = U_ZERO_ERROR;
  state_->breaks.reset(ubrk_open(UBRK_SENTENCE, locale_of(language_tag).c_str(), nullptr, 0, &status));
  check_icu(status, "the rules of sentences cannot be opened");
}

SentenceSplitter::~SentenceSplitter() = default;

void SentenceSplitter::split(std::string_view text, const std::function<void(std::string_view)>& sink) {
  GAUSSCSE_CHECK(text.size() <= std::numeric_limits<std::int32_t>::max(), text.size(), " bytes");
  UErrorCode status = U_ZERO_ERROR;
  // Offsets are those of bytes.
  state_->text.reset(
      utext_openUTF8(state_->text.release(), text.data(), static_cast<std::int64_t>(text.size()), &status));
  ubrk_setUText(state_->breaks.get(), state_->text.get(), &status);
  check_icu(status, "a text cannot be divided into sentences");
  auto begin = static_cast<std::size_t>(ubrk_first(state_->breaks.get()));
  for (std::int32_t end = ubrk_next(state_->breaks.get()); end != UBRK_DONE; end = ubrk_next(state_->breaks.get())) {
    const std::string_view sentence = trimmed(text.substr(begin, static_cast<std::size_t>(end) - begin));
    if (!sentence.empty()) sink(sentence);
    begin = static_cast<std::size_t>(end);
  }
}

}  // namespace gausscse
