#include "data/corpus/read_report.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Lines = std::vector<std::string>;

void add_lines(LineTally& tally, std::size_t first, std::size_t count, const std::string& message) {
  for (std::size_t line = first; line < first + count; ++line)
    tally.read(line, [&] {
      if (!message.empty()) throw InputError(message);
    });
}

TEST(ReadReport, CountsBadLinesByTheirCauses) {
  ReadReport report;
  EXPECT_EQ(report.bad_line_messages("all"), Lines{});
  LineTally first("a.csv", BadLines::skip, report);
  add_lines(first, 2, 90, "");
  add_lines(first, 92, 1, "the label \"x\" is unknown; labels are here: yes");
  EXPECT_EQ(report.bad_line_messages("all"),
            (Lines{"all: 1 of 91 lines is left out", "a.csv:92: the label \"x\" is unknown; labels are here: yes"}));
  add_lines(first, 93, 3, "the sentence \"p\" is empty");
  LineTally second("b.csv", BadLines::skip, report);
  for (const char* label : {"y", "x", "z", "w"})
    add_lines(second, second.good() + 2, label[0] == 'y' ? 2 : 1,
              concat("the label \"", label, "\" is unknown; labels are here: yes"));
  EXPECT_EQ(report.bad_line_messages("all"),
            (Lines{"all: 9 of 99 lines are left out",
                   "6 lines such as a.csv:92: the label \"x\" is unknown; labels are here: yes",
                   "b.csv:2: the label \"y\" is unknown; labels are here: yes",
                   "b.csv:2: the label \"z\" is unknown; labels are here: yes",
                   "3 lines such as a.csv:93: the sentence \"p\" is empty"}));
}

TEST(ReadReport, ListsTheFirstOfManyCauses) {
  ReadReport report;
  LineTally tally("a", BadLines::skip, report);
  const std::size_t others = 3;
  for (std::size_t cause = 0; cause < ReadReport::max_causes + others; ++cause)
    add_lines(tally, cause + 1, 2, std::string(cause + 1, 'x'));
  const Lines messages = report.bad_line_messages("a");
  ASSERT_EQ(messages.size(), 1 + ReadReport::max_causes + 1);
  EXPECT_EQ(messages[ReadReport::max_causes], "2 lines such as a:20: xxxxxxxxxxxxxxxxxxxx");
  EXPECT_EQ(messages.back(), "6 lines for other causes");
}

}  // namespace
}  // namespace gausscse
