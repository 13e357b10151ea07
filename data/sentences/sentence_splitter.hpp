#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gausscse {

/// Language tag of a splitter that knows the abbreviations of English.
inline constexpr const char* english_with_abbreviations = "en-u-ss-standard";

/// Division of texts into sentences by the rules of Unicode's standard annex 29, as ICU's BreakIterator has them. A
/// sentence ends with its mark, and the white space behind it, or with the line.
///
///     SentenceSplitter splitter(english_with_abbreviations);
///     splitter.split("Mr. Smith left. Why?", print);  // "Mr. Smith left.", then "Why?"
class SentenceSplitter {
 public:
  /// `language_tag` is one of BCP 47, such as "de" or "en-US"; "und" has no language's rules. With "-u-ss-standard" the
  /// abbreviations that ICU knows of the language end no sentence. Throws InputError for a text that is no such tag,
  /// and for a language that ICU does not know.
  explicit SentenceSplitter(const std::string& language_tag);
  ~SentenceSplitter();

  /// Gives `sink` each sentence of `text`, well-formed UTF-8, without white space at its ends; none that is empty. Each
  /// is a part of `text`.
  void split(std::string_view text, const std::function<void(std::string_view)>& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gausscse
