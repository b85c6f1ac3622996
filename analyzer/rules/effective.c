#include "analyzer/rules/effective.h"

#include <string.h>

#include "base/arena.h"

/* A (selector, key) whose rules hold a restriction that acts on other rules. */
struct acting_rule {
    const char *selector;
    const struct rule_key *key;
    const struct peer *peer;
    const struct rule_restriction *restriction;
    bool certain;
};

struct acting_rules {
    struct acting_rule *list;
    size_t count, capacity;
};

/* What effective_of carries along. `upper`: the upper bound is being built. */
struct effect {
    struct arena *arena;
    const struct reading *reading;
    struct acting_rules dns, server_names;
    bool upper;
    struct flow_set given_up; /* what the DNS lists take from other keys; built once for the bound */
    struct flow_box *boxes;
    size_t count, capacity;
};

/* ---- the API server at an unknown address ---- */

static const uint32_t api_server_bit = 1u << SPECIAL_API_SERVER;

static bool box_holds_all_addresses(const struct flow_box *box) {
    struct address_set all = address_set_everything();
    return address_set_equal(&box->destinations.addresses, &all);
}

/* The API server's address is among all addresses, so a box that allows these allows it, without saying so. */
static struct flow_box box_without_api_server(struct flow_box box) {
    if (box_holds_all_addresses(&box))
        box.destinations.specials &= ~api_server_bit;
    return box;
}

static struct flow_box box_to_api_server(struct flow_box box) {
    box.destinations = destination_set_of_specials(api_server_bit);
    return box;
}

/* The boxes that hold addresses but not all of them, by their addresses alone; nothing where all of them together leave
 * addresses out. */
static struct flow_set boxes_of_some_addresses(const struct flow_set *set, struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    struct address_set all = address_set_everything(), together = address_set_nothing();
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct address_set *addresses = &set->boxes[i].destinations.addresses;
        if (address_set_is_empty(addresses) || box_holds_all_addresses(&set->boxes[i]))
            continue;
        together = address_set_union(arena, &together, addresses);
        boxes[count] = set->boxes[i];
        boxes[count++].destinations = (struct destination_set){.addresses = *addresses};
    }
    return address_set_equal(&together, &all) ? (struct flow_set){boxes, count} : flow_set_nothing();
}

/* What every address has of the boxes: all ports and payloads but those that some address lacks. Nothing where the boxes
 * fall into too many pieces to tell. */
static struct flow_set every_address_has(const struct flow_set *parts, struct arena *arena) {
    enum { PIECES = 256 };
    struct flow_box whole = {.destinations = {.addresses = address_set_everything()},
                             .ports = port_set_everything(),
                             .payloads = payload_set_everything()};
    struct flow_set lacking = flow_set_of(arena, &whole);
    for (uint32_t i = 0; i < parts->count; i++) {
        struct flow_set part = {&parts->boxes[i], 1};
        lacking = flow_set_subtract(arena, &lacking, &part);
        if (lacking.count > PIECES)
            return flow_set_nothing();
    }
    struct flow_box *boxes = arena_array(arena, lacking.count + 1u, sizeof *boxes);
    for (uint32_t i = 0; i < lacking.count; i++)
        boxes[i] = box_to_api_server(lacking.boxes[i]);
    whole = box_to_api_server(whole);
    whole.origin = parts->boxes[0].origin;
    struct flow_set everything = flow_set_of(arena, &whole), taken = {boxes, lacking.count};
    return flow_set_subtract(arena, &everything, &taken);
}

struct flow_set flow_set_closed(struct arena *arena, const struct flow_set *set) {
    struct flow_box *boxes = arena_array(arena, 2u * set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        boxes[count++] = set->boxes[i];
        if (box_holds_all_addresses(&set->boxes[i]))
            boxes[count++] = box_to_api_server(set->boxes[i]);
    }
    struct flow_set closed = {boxes, count}, parts = boxes_of_some_addresses(set, arena);
    if (parts.count == 0)
        return closed;
    struct flow_set by_parts = every_address_has(&parts, arena);
    return flow_set_union(arena, &closed, &by_parts);
}

/* ---- rules that act on others ---- */

static void acting_add(struct acting_rules *acting, struct acting_rule rule, struct arena *arena) {
    if (acting->count == acting->capacity)
        acting->list = arena_grow(arena, acting->list, &acting->capacity, acting->count + 1, sizeof *acting->list);
    acting->list[acting->count++] = rule;
}

static void effect_collect(struct effect *effect, const struct rule_entry *entry, bool certain) {
    for (size_t k = 0; k < entry->key_count; k++) {
        const struct rule_restriction *restriction = entry->keys[k].restriction;
        if (!restriction || entry->deny)
            continue;
        for (size_t p = 0; p < entry->peer_count; p++) {
            struct acting_rule rule = {entry->peers[p].selector, &entry->keys[k], &entry->peers[p], restriction,
                                       certain};
            if (restriction->has_questions)
                acting_add(&effect->dns, rule, effect->arena);
            if (restriction->has_server_names)
                acting_add(&effect->server_names, rule, effect->arena);
        }
    }
}

static bool dns_has_key(const struct effect *effect, const char *id) {
    for (size_t i = 0; i < effect->dns.count; i++)
        if (strcmp(effect->dns.list[i].key->id, id) == 0)
            return true;
    return false;
}

/* What other keys than `id` give up (all keys for NULL): in the upper bound only what certain rules take, in the lower
 * bound all that any may take. */
static struct flow_set effect_given_up(struct effect *effect, const char *id) {
    struct flow_set set = flow_set_nothing();
    for (size_t i = 0; i < effect->dns.count; i++) {
        const struct acting_rule *rule = &effect->dns.list[i];
        if ((effect->upper && !rule->certain) || (id && strcmp(rule->key->id, id) == 0))
            continue;
        struct flow_box box = {.destinations = effect->upper ? rule->peer->lower : rule->peer->upper,
                               .ports = effect->upper ? rule->key->lower : rule->key->upper,
                               .payloads = payload_set_everything()};
        struct flow_set one = flow_set_of(effect->arena, &box);
        set = flow_set_union(effect->arena, &set, &one);
    }
    return flow_set_closed(effect->arena, &set);
}

/* The server names that rules of this selector and key bring along; false: none do (for certain, in the upper bound). In
 * the lower bound only certain names count, but doubtful ones restrict. */
static bool effect_server_names(struct effect *effect, const char *selector, const char *id, struct name_set *names) {
    bool restricted = false;
    *names = name_set_nothing();
    for (size_t i = 0; i < effect->server_names.count; i++) {
        const struct acting_rule *rule = &effect->server_names.list[i];
        if (strcmp(rule->key->id, id) != 0 || strcmp(rule->selector, selector) != 0)
            continue;
        restricted = restricted || rule->certain || !effect->upper;
        if (rule->certain || effect->upper)
            *names = name_set_union(effect->arena, names, &rule->restriction->server_names);
    }
    return restricted;
}

/* ---- boxes ---- */

static void effect_add(struct effect *effect, const struct flow_box *box, const struct flow_set *given_up) {
    struct flow_box own = box_without_api_server(*box);
    struct flow_set set = flow_set_of(effect->arena, &own);
    if (given_up->count > 0)
        set = flow_set_subtract(effect->arena, &set, given_up);
    for (uint32_t i = 0; i < set.count; i++) {
        if (effect->count == effect->capacity)
            effect->boxes =
                arena_grow(effect->arena, effect->boxes, &effect->capacity, effect->count + 1, sizeof *effect->boxes);
        effect->boxes[effect->count++] = set.boxes[i];
    }
}

static struct payload_set restriction_payloads(const struct rule_restriction *restriction, struct arena *arena) {
    if (!restriction)
        return payload_set_everything();
    if (restriction->has_questions)
        return name_set_is_everything(arena, &restriction->questions)
                   ? payload_set_everything()
                   : payload_set_of_questions(&restriction->questions);
    if (restriction->has_server_names)
        return payload_set_of_server_names(&restriction->server_names);
    return payload_set_of_requests(arena, restriction->requests);
}

static struct destination_set key_destinations(struct effect *effect, const struct rule_key *key,
                                               struct destination_set destinations) {
    if (key->pods_only)
        return destination_set_of_pods(&destinations.pods);
    (void)effect;
    return destinations;
}

static const struct port_set *key_ports(const struct effect *effect, const struct rule_key *key) {
    return effect->upper ? &key->upper : &key->lower;
}

/* A key by itself: peers whose rules meet server names of others stand apart. */
static void effect_add_key(struct effect *effect, const struct rule_entry *entry, const struct rule_key *key,
                           uint32_t origin) {
    struct flow_set given_up = effect_given_up(effect, key->id);
    if (key->form == KEY_RANGE && effect->reading->class == CILIUM_1_16_0)
        given_up = flow_set_nothing();
    struct payload_set payloads = restriction_payloads(key->restriction, effect->arena);
    struct destination_set together = destination_set_nothing();
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct peer *peer = &entry->peers[i];
        const struct destination_set *destinations = effect->upper ? &peer->upper : &peer->lower;
        struct name_set names;
        bool own = key->restriction && key->restriction->has_server_names;
        if (own || !effect_server_names(effect, peer->selector, key->id, &names)) {
            together = destination_set_union(effect->arena, &together, destinations);
            continue;
        }
        struct payload_set narrowed = payload_set_of_server_names(&names);
        struct flow_box box = {key_destinations(effect, key, *destinations), *key_ports(effect, key),
                               payload_set_intersect(effect->arena, &payloads, &narrowed), origin};
        effect_add(effect, &box, &given_up);
    }
    struct flow_box box = {key_destinations(effect, key, together), *key_ports(effect, key), payloads, origin};
    effect_add(effect, &box, &given_up);
}

/* Whether a key meets nothing that acts on it but the general giving up, so that it may stand with others in one box. */
static bool key_is_plain(const struct effect *effect, const struct rule_key *key) {
    if (key->restriction || key->pods_only || dns_has_key(effect, key->id))
        return false;
    if (key->form == KEY_RANGE && effect->dns.count > 0 && effect->reading->class == CILIUM_1_16_0)
        return false;
    for (size_t i = 0; i < effect->server_names.count; i++)
        if (strcmp(effect->server_names.list[i].key->id, key->id) == 0)
            return false;
    return true;
}

static void effect_add_allow(struct effect *effect, const struct rule_entry *entry, uint32_t origin) {
    struct port_set plain = port_set_nothing();
    for (size_t i = 0; i < entry->key_count; i++) {
        const struct rule_key *key = &entry->keys[i];
        if (key_is_plain(effect, key))
            plain = port_set_union(effect->arena, &plain, key_ports(effect, key));
        else
            effect_add_key(effect, entry, key, origin);
    }
    struct flow_box box = {entry_destinations(entry, effect->upper, effect->arena), plain, payload_set_everything(),
                           origin};
    effect_add(effect, &box, &effect->given_up);
}

static void effect_add_deny(struct effect *effect, const struct rule_entry *entry, uint32_t origin) {
    struct port_set ports = port_set_nothing();
    for (size_t i = 0; i < entry->key_count; i++)
        ports = port_set_union(effect->arena, &ports, key_ports(effect, &entry->keys[i]));
    struct flow_set nothing = flow_set_nothing();
    struct flow_box box = {entry_destinations(entry, effect->upper, effect->arena), ports, payload_set_everything(),
                           origin};
    effect_add(effect, &box, &nothing);
}

static struct flow_set effect_build(struct effect *effect, const struct selected_rules *selected,
                                    const struct effective *effective, bool upper, bool deny) {
    effect->upper = upper;
    effect->boxes = NULL;
    effect->count = effect->capacity = 0;
    effect->given_up = effect_given_up(effect, NULL);
    for (size_t i = 0; i < effective->origin_count; i++) {
        const struct origin *origin = &effective->origins[i];
        if (origin->entry->deny != deny || (!upper && !selected[origin->selected].certain))
            continue;
        if (deny)
            effect_add_deny(effect, origin->entry, (uint32_t)i);
        else
            effect_add_allow(effect, origin->entry, (uint32_t)i);
    }
    return (struct flow_set){effect->boxes, (uint32_t)effect->count};
}

void effective_of(const struct selected_rules *selected, size_t count, const struct reading *reading,
                  struct arena *arena, struct effective *effective) {
    struct effect effect = {.arena = arena, .reading = reading};
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        entries += selected[i].rules->count;
    struct origin *origins = arena_array(arena, entries + 1, sizeof *origins);
    *effective = (struct effective){.origins = origins};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < selected[i].rules->count; k++) {
            const struct rule_entry *entry = &selected[i].rules->entries[k];
            origins[effective->origin_count++] = (struct origin){i, entry};
            effect_collect(&effect, entry, selected[i].certain);
        }
    effective->allow_lower = effect_build(&effect, selected, effective, false, false);
    effective->allow_upper = effect_build(&effect, selected, effective, true, false);
    struct flow_set deny_lower = effect_build(&effect, selected, effective, false, true);
    effective->deny_lower = flow_set_closed(arena, &deny_lower);
    struct flow_set deny_upper = effect_build(&effect, selected, effective, true, true);
    effective->deny_upper = flow_set_closed(arena, &deny_upper);
}
