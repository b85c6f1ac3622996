/* The text of destinations, for messages and goldens. */
#include "ir/destination_set.h"

static bool is_every_address(const struct address_set *set) {
    struct address_set everything = address_set_everything();
    return address_set_equal(set, &everything);
}

static bool is_every_name(const struct name_set *set) {
    return set->count == 1 && set->terms[0].all_count == 0 && set->terms[0].none_of.count == 0;
}

static bool is_everything(const struct destination_set *set) {
    return is_every_address(&set->addresses) && set->learned_count == 1 &&
           is_every_address(&set->learned[0].addresses) && is_every_name(&set->learned[0].names) &&
           set->pods.count == 1 && set->pods.terms[0].all_of.count == 0 && set->pods.terms[0].none_count == 0 &&
           set->specials == (1U << SPECIAL_COUNT) - 1;
}

static void begin(struct buffer *out, const char **between) {
    buffer_add_string(out, *between);
    *between = "; ";
}

static void print_learned(struct buffer *out, const struct learned_set *pairs, const char **between) {
    begin(out, between);
    name_set_print(out, &pairs->names);
    if (!is_every_address(&pairs->addresses)) {
        buffer_add_string(out, " at ");
        address_set_print(out, &pairs->addresses);
    }
}

void destination_set_print(struct buffer *out, const struct destination_set *set) {
    const char *between = "";
    if (is_everything(set) || destination_set_is_nothing(set)) {
        buffer_add_string(out, set->specials ? "everything" : "nothing");
        return;
    }
    if (!address_set_is_empty(&set->addresses)) {
        begin(out, &between);
        buffer_add_string(out, is_every_address(&set->addresses) ? "every address" : "addresses ");
        if (!is_every_address(&set->addresses)) {
            address_set_print(out, &set->addresses);
        }
    }
    for (uint32_t i = 0; i < set->learned_count; i++) {
        print_learned(out, &set->learned[i], &between);
    }
    if (set->pods.count > 0) {
        begin(out, &between);
        endpoint_set_print(out, &set->pods);
    }
    const char *comma = "";
    for (unsigned i = 0; i < SPECIAL_COUNT; i++) {
        if ((set->specials >> i) & 1U) {
            if (*comma == '\0') {
                begin(out, &between);
            }
            buffer_print(out, "%s%s", comma, special_word((enum special)i));
            comma = ", ";
        }
    }
}

void destination_print(struct buffer *out, const struct destination *destination) {
    char text[46];
    switch (destination->kind) {
    case DESTINATION_ADDRESS:
        address_print(&destination->address, text);
        buffer_add_string(out, text);
        return;
    case DESTINATION_NAME:
        buffer_print(out, "name %s", *destination->name ? destination->name : ".");
        return;
    case DESTINATION_POD:
        endpoint_print(out, &destination->endpoint);
        return;
    case DESTINATION_SPECIAL:
        buffer_add_string(out, special_word(destination->special));
        return;
    }
}
