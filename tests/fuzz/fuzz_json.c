/* Any bytes as a JSON file: document/reader.h. */
#include "document_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_reading("fuzz.json", data, size, false);
    check_reading("fuzz.json", data, size, true);
    return 0;
}
