# Writes OUTPUT, a C file that holds the pages of FOLDER, CODE.md each, as strings:
#   cmake -DFOLDER=docs/codes -DOUTPUT=code_document.c -P embed_codes.cmake
file(GLOB pages ${FOLDER}/*.md)
list(SORT pages)
set(rows "")
foreach(page ${pages})
  get_filename_component(word ${page} NAME_WE)
  file(READ ${page} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  # Two question marks could begin a trigraph.
  string(REPLACE "??" "?\\?" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND rows "    {\"${word}\",\n     \"${text}\"},\n")
endforeach()
file(WRITE ${OUTPUT}.new "/* Made of docs/codes/ by scripts/embed_codes.cmake. */
#include \"base/code_document.h\"

#include <string.h>

static const struct {
    const char *word, *page;
} pages[] = {
${rows}    {NULL, NULL}};

const char *code_document(enum code code) {
    for (size_t i = 0; pages[i].word; i++) {
        if (strcmp(pages[i].word, code_word(code)) == 0) {
            return pages[i].page;
        }
    }
    return NULL;
}
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
