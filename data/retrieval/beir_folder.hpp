#pragma once

#include "data/corpus/choices.hpp"
#include "data/corpus/read_report.hpp"
#include "data/retrieval/retrieval_layout.hpp"
#include "data/retrieval/retrieval_set.hpp"
#include "data/source/byte_source.hpp"

namespace gausscse {

/// Reads a retrieval set in BEIR's layout:
///
///   corpus.jsonl      an object a line: `_id`, `text`, and `title`, which may be empty or missing
///   queries.jsonl     an object a line: `_id`, `text`
///   qrels/SPLIT.tsv   with tabs and the header query-id, corpus-id, score
///
/// The text of a document is its title, a blank and its text, without white space at the ends, as BEIR has it. That of
/// a query is as it stands there, or trimmed. A score is a whole number, and a document is relevant from 1 on. The
/// document with a query's own id is left out for it unless it is relevant, as in BEIR's program. Queries keep the
/// order of their file. Throws InputError for a file that cannot be read and where no query has a relevant document. On
/// a bad line it acts as `bad_lines` says. Bad are a missing column, an id that is there twice, a text of nothing but
/// white space, a score that is no whole number, a judgement of an unknown id, and a second judgement of a pair. Adds
/// to `report`.
RetrievalSet read_beir_folder(const BeirFiles& files, bool trim, BadLines bad_lines, ReadReport& report);

/// Texts of the files of a folder.
struct BeirSources {
  ByteSource &corpus, &queries, &judgements;
};

/// Reads a set from any sources; `names` are shown as their paths in messages.
RetrievalSet read_beir_set(BeirSources sources, const BeirFiles& names, bool trim, BadLines bad_lines,
                           ReadReport& report);

}  // namespace gausscse
