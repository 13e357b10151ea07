#include "experiments/report/html/html_writer.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

TEST(HtmlText, EscapesMarkup) {
  EXPECT_EQ(html_escaped("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  EXPECT_EQ(html_escaped("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
}

TEST(HtmlText, ShowsControlCharacters) {
  EXPECT_EQ(html_escaped(std::string_view("a\0b", 3)), "a[U+0000]b");
  EXPECT_EQ(html_escaped("\x1B\r\x7F\x1F "), "[U+001B][U+000D][U+007F][U+001F] ");
  EXPECT_EQ(html_escaped("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(html_escaped("\xC2\x80\xC2\x9F\xC2\xA0"), "[U+0080][U+009F]\xC2\xA0");
}

TEST(HtmlText, ShowsChangesOfDirection) {
  EXPECT_EQ(html_escaped("a\xE2\x80\xAE"
                         "b"),
            "a[U+202E]b");
  EXPECT_EQ(html_escaped("\xD8\x9C\xE2\x80\x8E\xE2\x80\x8F"), "[U+061C][U+200E][U+200F]");
  EXPECT_EQ(html_escaped("\xE2\x80\xAA\xE2\x81\xA6\xE2\x81\xA9"), "[U+202A][U+2066][U+2069]");
  // Their neighbours do no harm.
  EXPECT_EQ(html_escaped("\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"),
            "\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA");
}

TEST(HtmlText, ReplacesWhatIsNoText) {
  EXPECT_EQ(html_escaped("a\xFF"
                         "b\xC0\x80"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(html_escaped("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut
  EXPECT_EQ(html_escaped("\xEF\xBF\xBE"), "\xEF\xBF\xBD");          // U+FFFE is no character
}

TEST(HtmlText, IsShortenedByCodePoints) {
  EXPECT_EQ(shortened("abcd", 4), "abcd");
  EXPECT_EQ(shortened("abcd", 3), "abc\xE2\x80\xA6");
  EXPECT_EQ(shortened("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
  EXPECT_EQ(shortened("\xFF\xFF\xFF", 2), "\xFF\xFF\xE2\x80\xA6");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(HtmlWriter, WritesElements) {
  HtmlWriter writer;
  writer.open("p", {{"class", "a\"b"}}).text("x<y").element("strong", "z&").close().empty("path", {{"d", "M0 0"}});
  EXPECT_EQ(writer.take(), "<p class=\"a&quot;b\">x&lt;y<strong>z&amp;</strong></p>\n<path d=\"M0 0\"/>");
}

TEST(HtmlWriter, InsistsOnClosedElements) {
  HtmlWriter writer;
  writer.open("p");
  EXPECT_THROW(writer.take(), std::logic_error);
  writer.close();
  EXPECT_THROW(writer.close(), std::logic_error);
}

}  // namespace

}  // namespace gausscse
