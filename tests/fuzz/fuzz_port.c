/* Ports and versions. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "grammar/port.h"
#include "grammar/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {(const char *)data, size};
    struct cilium_port_reading port;
    struct version version;
    uint16_t number = 0;
    size_t offset = 0;
    enum cilium_port_kind kind = cilium_port_parse(text, &port);
    check((kind == CILIUM_PORT_INVALID) == (port.fault != CILIUM_PORT_OK) && port.fault_at <= size);
    /* What the agent takes passes the CRD, and so does every plain number, which both read alike. */
    check(kind != CILIUM_PORT_NAME || port.crd_accepts);
    if (port_number(text, &number))
        check(kind == CILIUM_PORT_NUMBER && port.number == number && port.crd_accepts);
    unsigned faults = port_name_check(text, &offset);
    check(offset <= size && (faults != 0 || kind == CILIUM_PORT_NAME));
    enum version_fault fault = version_parse(text, &version, &offset);
    check(offset <= size && version_fault_text(fault) != NULL);
    return 0;
}
