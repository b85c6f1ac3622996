#include <string.h>

#include "base/ascii.h"
#include "grammar/port.h"

/* Whether the text is a service name as the agent tests it, before it tries a number. */
static bool is_name(struct text text) {
    bool letter = false;
    if (text.length == 0 || text.length > PORT_NAME_MAX)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool edge = i == 0 || i + 1 == text.length;
        if (byte == '-' && (edge || text.bytes[i - 1] == '-'))
            return false;
        if (byte != '-' && !ascii_is_alphanumeric(byte))
            return false;
        letter = letter || ascii_is_letter(byte);
    }
    return letter;
}

struct prefix {
    unsigned base;
    size_t length; /* bytes of the prefix */
    bool is_digit; /* a lone 0 is itself a digit before an underscore; 0x and the like count as one */
};

static struct prefix read_prefix(struct text text) {
    if (text.bytes[0] != '0')
        return (struct prefix){10, 0, false};
    char second = text.length >= 3 ? ascii_lower(text.bytes[1]) : '\0';
    if (second == 'b')
        return (struct prefix){2, 2, true};
    if (second == 'o')
        return (struct prefix){8, 2, true};
    if (second == 'x')
        return (struct prefix){16, 2, true};
    return (struct prefix){8, 1, true};
}

static enum cilium_port_fault fail(size_t at, size_t *offset, enum cilium_port_fault fault) {
    *offset = at;
    return fault;
}

/* Go's unsigned integers of base 0 and 16 bits. Syntax is judged before range, as far as both can be seen. */
static enum cilium_port_fault read_number(struct text text, uint16_t *number, size_t *offset) {
    struct prefix prefix = read_prefix(text);
    bool after_digit = prefix.is_digit;
    bool in_range = true;
    unsigned value = 0;
    for (size_t i = prefix.length; i < text.length; i++) {
        char byte = text.bytes[i];
        if (byte == '_') {
            if (!after_digit || i + 1 == text.length)
                return fail(i, offset, CILIUM_PORT_UNDERSCORE);
            after_digit = false;
            continue;
        }
        unsigned digit = ascii_digit_value(byte);
        if (digit >= prefix.base)
            return fail(i, offset, digit < 10 ? CILIUM_PORT_DIGIT : CILIUM_PORT_NO_NUMBER);
        value = value * prefix.base + digit;
        if (value > PORT_MAX) {
            in_range = false;
            value = PORT_MAX;
        }
        after_digit = true;
    }
    *number = (uint16_t)value;
    return in_range ? CILIUM_PORT_OK : fail(0, offset, CILIUM_PORT_RANGE);
}

enum cilium_port_kind cilium_port_parse(struct text text, struct cilium_port_reading *port) {
    *port = (struct cilium_port_reading){.kind = CILIUM_PORT_INVALID, .crd_accepts = cilium_port_crd_accepts(text)};
    if (text.length == 0) {
        port->fault = CILIUM_PORT_EMPTY;
        return port->kind;
    }
    if (is_name(text)) {
        port->kind = CILIUM_PORT_NAME;
        for (size_t i = 0; i < text.length; i++)
            port->name[i] = ascii_lower(text.bytes[i]);
        return port->kind;
    }
    port->fault = read_number(text, &port->number, &port->fault_at);
    if (port->fault == CILIUM_PORT_OK)
        port->kind = CILIUM_PORT_NUMBER;
    else
        port->number = 0;
    return port->kind;
}

bool cilium_port_crd_accepts(struct text text) {
    if (text.length == 0)
        return false;
    if (ascii_is_digit(text.bytes[0]))
        return true;
    bool after_hyphen = true; /* the end: no hyphen may close the tail */
    for (size_t i = text.length; i > 0; i--) {
        char byte = text.bytes[i - 1];
        if (ascii_is_letter(byte))
            return true;
        if (byte == '-' ? after_hyphen : !ascii_is_digit(byte))
            return false;
        after_hyphen = byte == '-';
    }
    return false;
}

const char *cilium_port_fault_text(enum cilium_port_fault fault) {
    static const char *const texts[] = {
        [CILIUM_PORT_OK] = "nothing is wrong",
        [CILIUM_PORT_EMPTY] = "the port is empty",
        [CILIUM_PORT_NO_NUMBER] = "the port is neither a name of at most 15 characters nor a number",
        [CILIUM_PORT_DIGIT] =
            "the port begins with 0, which sets its base (octal, or that of 0b), and has a digit that the base lacks",
        [CILIUM_PORT_UNDERSCORE] = "the port has an underscore that does not stand between two digits",
        [CILIUM_PORT_RANGE] = "the port is a number over 65535",
    };
    return texts[fault];
}
