/*
 * The pages of docs/codes/, one a code, as part of the program. The build writes the source file that holds them
 * (scripts/embed_codes.cmake).
 */
#ifndef BASE_CODE_DOCUMENT_H
#define BASE_CODE_DOCUMENT_H

#include "base/code.h"

/* The page of a code as it stands in docs/codes/CODE.md; NULL: there is none. */
const char *code_document(enum code code);

#endif
