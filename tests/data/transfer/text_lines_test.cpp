#include "data/transfer/transfer_examples.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view bytes, TextEncoding encoding, LineEnds ends) {
  return text_lines(bytes, "file", encoding, ends);
}

TEST(TextLines, EndAsPythonReadsFiles) {
  for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::latin1}) {
    EXPECT_EQ(lines_of("a\nb\r\nc\rd", encoding, LineEnds::of_files), (Lines{"a", "b", "c", "d"}));
    EXPECT_EQ(lines_of("a\n\n\r\rb\n", encoding, LineEnds::of_files), (Lines{"a", "", "", "", "b"}));
    EXPECT_EQ(lines_of("a\v\f\x1C\x1D\x1E", encoding, LineEnds::of_files), (Lines{"a\v\f\x1C\x1D\x1E"}));
  }
}

/// ("a\nb\r\nc\vd\fe\x1cf\x1dg\x1eh\x85i\x1fj").splitlines() in Python.
TEST(TextLines, EndAsPythonSplitsLatin1) {
  EXPECT_EQ(lines_of("a\nb\r\nc\vd\fe\x1C"
                     "f\x1Dg\x1Eh\x85i\x1Fj",
                     TextEncoding::latin1, LineEnds::of_text),
            (Lines{"a", "b", "c", "d", "e", "f", "g", "h", "i\x1Fj"}));
}

TEST(TextLines, Latin1BecomesUtf8) {
  EXPECT_EQ(lines_of("caf\xE9 \xA0\xFF\x80", TextEncoding::latin1, LineEnds::of_files),
            (Lines{"caf\xC3\xA9 \xC2\xA0\xC3\xBF\xC2\x80"}));
  EXPECT_EQ(lines_of("caf\xC3\xA9", TextEncoding::utf8, LineEnds::of_files), (Lines{"caf\xC3\xA9"}));
}

TEST(TextLines, RefusesWhatIsNotText) {
  EXPECT_TRUE(
      says(refusal_of([] { lines_of("", TextEncoding::utf8, LineEnds::of_files); }), "file: the file is empty"));
  for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::latin1})
    EXPECT_EQ(refusal_of([&] { lines_of("\x1F\x8B\x08\n", encoding, LineEnds::of_files); }),
              "file: this is gzip data: unpack it first (gunzip)");
}

}  // namespace
}  // namespace gausscse
