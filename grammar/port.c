#include "grammar/port.h"

#include "base/ascii.h"

bool port_number(struct text text, uint16_t *port) {
    unsigned value = 0;
    if (text.length == 0 || text.length > 5 || text.bytes[0] == '0')
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (!ascii_is_digit(text.bytes[i]))
            return false;
        value = value * 10 + ascii_digit_value(text.bytes[i]);
    }
    if (!port_in_range(value))
        return false;
    *port = (uint16_t)value;
    return true;
}

bool port_in_range(int64_t value) { return value >= 1 && value <= PORT_MAX; }

/* Remembers a broken rule, and its place if it is the first in the order of the rules. */
static void note(unsigned *faults, enum port_name_fault fault, size_t at, size_t *offset) {
    if (*faults == 0)
        offset_set(offset, at);
    *faults |= (unsigned)fault;
}

/* The first byte outside a to z, 0 to 9 and hyphen, or the length. */
static size_t stray_byte(struct text name) {
    size_t i = 0;
    while (i < name.length && (ascii_is_lower(name.bytes[i]) || ascii_is_digit(name.bytes[i]) || name.bytes[i] == '-'))
        i++;
    return i;
}

static bool has_lower(struct text name) {
    for (size_t i = 0; i < name.length; i++)
        if (ascii_is_lower(name.bytes[i]))
            return true;
    return false;
}

/* The second of the first two hyphens in a row, or the length. */
static size_t double_hyphen(struct text name) {
    for (size_t i = 1; i < name.length; i++)
        if (name.bytes[i] == '-' && name.bytes[i - 1] == '-')
            return i;
    return name.length;
}

unsigned port_name_check(struct text name, size_t *offset) {
    unsigned faults = 0;
    offset_set(offset, 0);
    if (name.length > PORT_NAME_MAX)
        note(&faults, PORT_NAME_LONG, PORT_NAME_MAX, offset);
    size_t stray = stray_byte(name);
    if (name.length == 0 || stray < name.length)
        note(&faults, PORT_NAME_BYTE, stray, offset);
    if (!has_lower(name))
        note(&faults, PORT_NAME_NO_LETTER, 0, offset);
    size_t hyphen = double_hyphen(name);
    if (hyphen < name.length)
        note(&faults, PORT_NAME_DOUBLE_HYPHEN, hyphen, offset);
    if (name.length > 0 && name.bytes[0] == '-')
        note(&faults, PORT_NAME_EDGE_HYPHEN, 0, offset);
    else if (name.length > 0 && name.bytes[name.length - 1] == '-')
        note(&faults, PORT_NAME_EDGE_HYPHEN, name.length - 1, offset);
    return faults;
}

enum port_name_fault port_name_first(unsigned faults) {
    unsigned lowest = faults & (~faults + 1);
    return (enum port_name_fault)lowest;
}

const char *port_name_fault_text(enum port_name_fault fault) {
    switch (fault) {
    case PORT_NAME_OK:
        return "nothing is wrong";
    case PORT_NAME_LONG:
        return "the port name has more than 15 characters";
    case PORT_NAME_BYTE:
        return "a port name consists of a to z, 0 to 9 and hyphens, and is not empty";
    case PORT_NAME_NO_LETTER:
        return "the port name has no letter; write a number without quotes";
    case PORT_NAME_DOUBLE_HYPHEN:
        return "the port name has two hyphens in a row";
    case PORT_NAME_EDGE_HYPHEN:
        return "the port name begins or ends with a hyphen";
    }
    return "nothing is wrong";
}
