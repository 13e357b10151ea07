#include "inference/search/row_texts.hpp"

#include <utility>

namespace gausscse {

std::map<std::uint64_t, std::string> texts_of_rows(std::span<SentenceFile* const> files,
                                                   const std::set<std::uint64_t>& rows,
                                                   const std::function<void(std::vector<std::string>&)>& choose) {
  std::map<std::uint64_t, std::string> texts;
  std::vector<std::string> sentences;
  std::uint64_t first = 0;
  auto next = rows.begin();
  for (SentenceFile* const file : files) {
    file->restart();
    for (; next != rows.end() && file->next_block(sentences); first += sentences.size()) {
      if (choose) choose(sentences);
      for (; next != rows.end() && *next < first + sentences.size(); ++next)
        texts.emplace(*next, std::move(sentences[*next - first]));
    }
  }
  return texts;
}

}  // namespace gausscse
