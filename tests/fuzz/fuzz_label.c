/* Label keys and values, object names, and the keys of Cilium selectors. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "grammar/cilium_label.h"
#include "grammar/label.h"
#include "grammar/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {(const char *)data, size};
    struct cilium_label label;
    size_t offset = 0;
    bool key = label_key_check(text, &offset) == LABEL_OK;
    check(offset <= size);
    bool value = label_value_check(text, &offset) == LABEL_OK;
    check(offset <= size);
    bool has_prefix = label_key_split(text).has_prefix;
    check(size == 0 || has_prefix || key == value);
    check(!key || label_annotation_key_check(text, NULL) == LABEL_OK);
    bool is_label = name_check_label(text, &offset) == NAME_OK;
    check(offset <= size && (!is_label || (key && value)));
    bool is_subdomain = name_check_subdomain(text, &offset) == NAME_OK;
    check(offset <= size && (!is_label || is_subdomain));
    enum cilium_label_fault fault = cilium_label_parse(text, &label, &offset);
    check(offset <= size && cilium_label_fault_text(fault) != NULL);
    check(fault != CILIUM_LABEL_OK || label.key.length > 0);
    return 0;
}
