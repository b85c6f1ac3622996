/* Host entries and Cilium names: a host entry that stands is also a name or a pattern that Cilium takes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "grammar/fqdn.h"
#include "grammar/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {(const char *)data, size};
    struct host_entry parts = {.leading_dot = false};
    size_t offset = 0;
    enum host_fault fault = host_entry_check(text, &parts, &offset);
    check(offset <= size && host_fault_text(fault) != NULL);
    if (fault == HOST_OK) {
        check(parts.name.length + parts.leading_dot == size);
        check(host_name_check(parts.name, NULL) == HOST_OK);
        check(fqdn_check_name(parts.name, NULL) == FQDN_OK);
    }
    enum fqdn_fault name = fqdn_check_name(text, &offset);
    check(offset <= size && fqdn_fault_text(name) != NULL);
    enum fqdn_fault pattern = fqdn_check_pattern(text, &offset);
    check(offset <= size && (name != FQDN_OK || pattern == FQDN_OK));
    enum fqdn_fault server = fqdn_check_server_name(text, &offset);
    check(offset <= size && (name != FQDN_OK || server == FQDN_OK));
    return 0;
}
