#include "base/error.hpp"

#include "base/choice.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

enum class Fruit { apple, pear, plum };

}  // namespace

template <>
inline constexpr NameTable<Fruit, 3> names<Fruit>{
    {{Fruit::apple, "apple"}, {Fruit::pear, "pear"}, {Fruit::plum, "plum"}}};

namespace {

TEST(Quoted, ShowsWhatCannotBePrinted) {
  EXPECT_EQ(quoted("plain text"), "\"plain text\"");
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("a\nb\tc"), "\"a\\nb\\tc\"");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x20\x7e\x7f\r", 6)), "\"\\x00\\x1f ~\\x7f\\x0d\"");
  EXPECT_EQ(quoted("d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x99\x82"),
            "\"d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x99\x82\"")
      << "letters of two, three and four bytes stay";
  EXPECT_EQ(quoted("\xff"
                   "a\xc3"
                   "b\xe2\x82"),
            "\"\\xffa\\xc3b\\xe2\\x82\"")
      << "of a letter that is cut every byte";
}

TEST(Quoted, IsCutAfterItsLimit) {
  EXPECT_EQ(quoted("12345", 5), "\"12345\"");
  EXPECT_EQ(quoted("123456", 5), "\"12345...\"");
  EXPECT_EQ(quoted("1234\xc3\xa9"
                   "6",
                   5),
            "\"1234\xc3\xa9...\"")
      << "no letter is cut in two";
  EXPECT_EQ(quoted(std::string(61, 'x')), concat('"', std::string(60, 'x'), "...\""));
}

TEST(NearestName, IsProposedWhereItIsNear) {
  const std::vector<std::string> names_of_tasks{"accuracy", "auprc", "spearman"};
  EXPECT_EQ(nearest_name("acuracy", names_of_tasks), ", did you mean \"accuracy\"?") << "a letter is missing";
  EXPECT_EQ(nearest_name("auprcc", names_of_tasks), ", did you mean \"auprc\"?") << "one too many";
  EXPECT_EQ(nearest_name("spaerman", names_of_tasks), ", did you mean \"spearman\"?") << "two are exchanged";
  // Two changes are near, and a third of a longer word.
  EXPECT_EQ(nearest_name("auXXc", names_of_tasks), ", did you mean \"auprc\"?");
  EXPECT_EQ(nearest_name("aXXXc", names_of_tasks), "");
  EXPECT_EQ(nearest_name("a_lnger_wrd", {"a_longer_word"}), ", did you mean \"a_longer_word\"?");
  EXPECT_EQ(nearest_name("XXXrman_ab", {"spearman_ab"}), "") << "four changes of ten letters";
  EXPECT_EQ(nearest_name("XXarman_ab", {"spearman_ab"}), ", did you mean \"spearman_ab\"?") << "three";
  // Of two that are as near the first, of others the nearest.
  EXPECT_EQ(nearest_name("b2", {"a2", "b1"}), ", did you mean \"a2\"?");
  EXPECT_EQ(nearest_name("test2", {"test1x", "test"}), ", did you mean \"test\"?");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(Choice, NamesAllWordsAndTheNearest) {
  EXPECT_EQ(parse_choice<Fruit>("--fruit", "pear"), Fruit::pear);
  EXPECT_EQ(refusal_of([] { parse_choice<Fruit>("--fruit", "pum"); }),
            "--fruit is \"pum\", which is not known, did you mean \"plum\"? (known: apple, pear or plum)");
  EXPECT_EQ(listed_words<Fruit>(Fruit::plum), "apple or pear");
  EXPECT_EQ(words_of<Fruit>(Fruit::apple), (std::vector<std::string>{"pear", "plum"}));
  EXPECT_EQ(name_of(static_cast<Fruit>(7)), "");
}

TEST(Check, ReportsTheExpressionAndItsPlace) {
  const int line = __LINE__ + 2;
  try {
    GAUSSCSE_CHECK(1 + 1 == 3, "sums of ", 2, " numbers");
    FAIL() << "what is false was accepted";
  } catch (const std::logic_error& error) {
    const std::string message = error.what(),
                      end = concat("error_test.cpp:", line, ": internal check failed: 1 + 1 == 3 sums of 2 numbers");
    EXPECT_TRUE(message.ends_with(end)) << message;
  }
}

}  // namespace
}  // namespace gausscse
