#include "analyzer/rules/effect.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* ---- rules that act on others ---- */

/* A (selector, key) whose rules hold a restriction that acts on other rules. */
struct acting_rule {
    const struct rule_entry *entry;
    const struct peer *peer;
    const struct rule_key *key;
    bool certain, dropped;
};

struct acting_rules {
    struct acting_rule *list; /* by the id of the key, then by selector */
    size_t count, capacity;
};

/* A DNS list by the only port of its key. */
struct acting_port {
    enum protocol protocol;
    unsigned port;
    const struct acting_rule *rule;
};

struct effect {
    struct arena *arena;
    const struct reading *reading;
    struct acting_rules dns, server_names;
    struct acting_port *ports; /* of the DNS lists, by protocol and port */
    size_t port_count;
    const struct acting_rule **wide; /* DNS lists of keys that have, or may have, more than one port */
    size_t wide_count;
};

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
            struct acting_rule rule = {entry, &entry->peers[p], &entry->keys[k], certain, false};
            if (restriction->has_questions)
                acting_add(&effect->dns, rule, effect->arena);
            if (restriction->has_server_names)
                acting_add(&effect->server_names, rule, effect->arena);
        }
    }
}

static int compare_acting(const void *a, const void *b) {
    const struct acting_rule *left = a, *right = b;
    int order = strcmp(left->key->id, right->key->id);
    return order ? order : strcmp(left->peer->selector, right->peer->selector);
}

static int compare_ports(const void *a, const void *b) {
    const struct acting_port *left = a, *right = b;
    if (left->protocol != right->protocol)
        return left->protocol < right->protocol ? -1 : 1;
    return (left->port > right->port) - (left->port < right->port);
}

/* Whether the ports are one port of one protocol, and which. */
static bool only_port(const struct port_set *ports, struct acting_port *only) {
    size_t protocols = 0;
    for (unsigned p = 0; p < PROTOCOL_COUNT; p++) {
        if (ports->of[p].count == 0)
            continue;
        protocols += ports->of[p].count == 1 && ports->of[p].ranges[0].first == ports->of[p].ranges[0].last ? 1 : 2;
        only->protocol = (enum protocol)p;
        only->port = ports->of[p].ranges[0].first;
    }
    return protocols == 1;
}

static void acting_sort(struct acting_rules *acting) {
    if (acting->count > 1)
        qsort(acting->list, acting->count, sizeof *acting->list, compare_acting);
}

struct effect *effect_of(const struct selected_rules *selected, size_t count, const struct reading *reading,
                         struct arena *arena) {
    struct effect *effect = arena_alloc(arena, sizeof *effect);
    *effect = (struct effect){.arena = arena, .reading = reading};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < selected[i].rules->count; k++)
            effect_collect(effect, &selected[i].rules->entries[k], selected[i].certain);
    acting_sort(&effect->dns);
    acting_sort(&effect->server_names);
    effect->ports = arena_array(arena, effect->dns.count + 1, sizeof *effect->ports);
    effect->wide = arena_array(arena, effect->dns.count + 1, sizeof *effect->wide);
    for (size_t i = 0; i < effect->dns.count; i++) {
        struct acting_port only = {.rule = &effect->dns.list[i]};
        if (only_port(&only.rule->key->upper, &only))
            effect->ports[effect->port_count++] = only;
        else
            effect->wide[effect->wide_count++] = only.rule;
    }
    if (effect->port_count > 1)
        qsort(effect->ports, effect->port_count, sizeof *effect->ports, compare_ports);
    return effect;
}

void effect_drop(struct effect *effect, const struct rule_entry *entry, bool dropped) {
    struct acting_rules *both[] = {&effect->dns, &effect->server_names};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->count; k++)
            if (both[i]->list[k].entry == entry)
                both[i]->list[k].dropped = dropped;
}

/* The first rule that does not come before the key and selector. */
static size_t acting_find(const struct acting_rules *acting, const char *id, const char *selector) {
    size_t low = 0, high = acting->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct acting_rule *rule = &acting->list[middle];
        int order = strcmp(rule->key->id, id);
        if (order < 0 || (order == 0 && strcmp(rule->peer->selector, selector) < 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool acting_has_key(const struct acting_rules *acting, const char *id) {
    size_t at = acting_find(acting, id, "");
    return at < acting->count && strcmp(acting->list[at].key->id, id) == 0;
}

/* ---- what is given up ---- */

/* The question at hand. */
struct asking {
    const struct effect *effect;
    const struct rule_entry *entry;
    const struct flow_set *about; /* NULL: everything */
    struct arena *arena;
    bool upper;
    uint32_t origin;
    struct flow_box *boxes;
    size_t count, capacity;
};

static const struct port_set *key_ports(const struct asking *asking, const struct rule_key *key) {
    return asking->upper ? &key->upper : &key->lower;
}

struct given_up {
    struct flow_box *boxes;
    size_t count, capacity;
};

/* In the upper bound only what certain rules take, in the lower bound all that any may take; no key takes from itself. */
static void given_up_add(struct given_up *given_up, const struct asking *asking, const char *id,
                         const struct acting_rule *rule) {
    if (rule->dropped || (asking->upper && !rule->certain) || (id && strcmp(rule->key->id, id) == 0))
        return;
    struct flow_box box = {.destinations = asking->upper ? rule->peer->lower : rule->peer->upper,
                           .ports = asking->upper ? rule->key->lower : rule->key->upper,
                           .payloads = payload_set_everything()};
    if (port_set_is_empty(&box.ports) || destination_set_is_nothing(&box.destinations))
        return;
    given_up->boxes =
        arena_grow(asking->arena, given_up->boxes, &given_up->capacity, given_up->count + 1, sizeof *given_up->boxes);
    given_up->boxes[given_up->count++] = box;
}

/* What the DNS lists of other keys than `id` (of all keys for NULL) take, as far as it may be on the ports. */
static struct flow_set given_up_on(const struct asking *asking, const char *id, const struct port_set *ports) {
    const struct effect *effect = asking->effect;
    struct given_up given_up = {NULL, 0, 0};
    for (size_t i = 0; i < effect->wide_count; i++)
        given_up_add(&given_up, asking, id, effect->wide[i]);
    for (unsigned p = 0; p < PROTOCOL_COUNT && effect->port_count > 0; p++)
        for (uint32_t r = 0; r < ports->of[p].count; r++) {
            const struct port_range *range = &ports->of[p].ranges[r];
            size_t low = 0, high = effect->port_count;
            const struct acting_port wanted = {.protocol = (enum protocol)p, .port = range->first};
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (compare_ports(&effect->ports[middle], &wanted) < 0)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (; low < effect->port_count && effect->ports[low].protocol == wanted.protocol &&
                   effect->ports[low].port <= range->last;
                 low++)
                given_up_add(&given_up, asking, id, effect->ports[low].rule);
        }
    struct flow_set set = {given_up.boxes, (uint32_t)given_up.count};
    return set.count ? flow_set_closed(asking->arena, &set) : set;
}

/* ---- boxes ---- */

static void asking_add(struct asking *asking, const struct flow_box *box, const struct flow_set *given_up) {
    struct flow_box own = box_without_api_server(*box);
    struct flow_set set = flow_set_of(asking->arena, &own);
    if (asking->about)
        set = flow_set_intersect(asking->arena, &set, asking->about);
    if (given_up->count > 0)
        set = flow_set_subtract(asking->arena, &set, given_up);
    for (uint32_t i = 0; i < set.count; i++) {
        if (asking->count == asking->capacity)
            asking->boxes =
                arena_grow(asking->arena, asking->boxes, &asking->capacity, asking->count + 1, sizeof *asking->boxes);
        asking->boxes[asking->count++] = set.boxes[i];
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

static struct destination_set key_destinations(const struct rule_key *key, const struct destination_set *destinations) {
    return key->pods_only ? destination_set_of_pods(&destinations->pods) : *destinations;
}

/* The server names that rules of this selector and key bring along; false: none do (for certain, in the upper bound). In
 * the lower bound only certain names count, but doubtful ones restrict. */
static bool server_names_of(const struct asking *asking, const char *selector, const char *id, struct name_set *names) {
    const struct acting_rules *acting = &asking->effect->server_names;
    bool restricted = false;
    *names = name_set_nothing();
    for (size_t i = acting->count ? acting_find(acting, id, selector) : 0; i < acting->count; i++) {
        const struct acting_rule *rule = &acting->list[i];
        if (strcmp(rule->key->id, id) != 0 || strcmp(rule->peer->selector, selector) != 0)
            break;
        if (rule->dropped)
            continue;
        restricted = restricted || rule->certain || !asking->upper;
        if (rule->certain || asking->upper)
            *names = name_set_union(asking->arena, names, &rule->key->restriction->server_names);
    }
    return restricted;
}

/* A key by itself: peers whose rules meet server names of others stand apart. */
static void asking_add_key(struct asking *asking, const struct rule_key *key, const struct flow_set *given_up) {
    struct arena *arena = asking->arena;
    const struct rule_entry *entry = asking->entry;
    struct payload_set payloads = restriction_payloads(key->restriction, arena);
    struct peer *together = arena_array(arena, entry->peer_count + 1, sizeof *together);
    struct rule_entry rest = {.peers = together};
    bool own = key_has_server_names(key);
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct peer *peer = &entry->peers[i];
        struct name_set names;
        if (own || !server_names_of(asking, peer->selector, key->id, &names)) {
            together[rest.peer_count++] = *peer;
            continue;
        }
        struct payload_set narrowed = payload_set_of_server_names(&names);
        struct flow_box box = {key_destinations(key, asking->upper ? &peer->upper : &peer->lower),
                               *key_ports(asking, key), payload_set_intersect(arena, &payloads, &narrowed),
                               asking->origin};
        asking_add(asking, &box, given_up);
    }
    struct destination_set destinations = entry_destinations(&rest, asking->upper, arena);
    struct flow_box box = {key_destinations(key, &destinations), *key_ports(asking, key), payloads, asking->origin};
    asking_add(asking, &box, given_up);
}

/* Keys of one restriction that meet nothing that tells them apart: together one box. */
struct alike {
    const struct rule_restriction *restriction;
    const struct port_set **ports;
    size_t count;
};

static void asking_add_alike(struct asking *asking, struct alike *alike) {
    struct arena *arena = asking->arena;
    if (alike->count == 0)
        return;
    struct port_set ports = port_set_union_of(arena, alike->ports, alike->count);
    struct flow_set given_up = alike->restriction ? flow_set_nothing() : given_up_on(asking, NULL, &ports);
    struct flow_box box = {entry_destinations(asking->entry, asking->upper, arena), ports,
                           restriction_payloads(alike->restriction, arena), asking->origin};
    asking_add(asking, &box, &given_up);
    alike->count = 0;
}

/* Whether the key of a range keeps what others would give up. */
static bool key_keeps(const struct asking *asking, const struct rule_key *key) {
    return key->form == KEY_RANGE && asking->effect->dns.count > 0 && asking->effect->reading->class == CILIUM_1_16_0;
}

/* Whether nothing acts on the key, or for one without a restriction nothing but the general giving up. */
static bool key_is_alike(const struct asking *asking, const struct rule_key *key, const struct flow_set *given_up) {
    const struct effect *effect = asking->effect;
    bool own = key_has_server_names(key);
    if (key->pods_only || key_keeps(asking, key) || (!own && acting_has_key(&effect->server_names, key->id)))
        return false;
    return key->restriction ? given_up->count == 0 : !acting_has_key(&effect->dns, key->id);
}

static void asking_add_allow(struct asking *asking) {
    const struct rule_entry *entry = asking->entry;
    const size_t room = entry->key_count + 1;
    struct alike plain = {.ports = arena_array(asking->arena, room, sizeof *plain.ports)};
    struct alike restricted = {.ports = arena_array(asking->arena, room, sizeof *restricted.ports)};
    for (size_t i = 0; i < entry->key_count; i++) {
        const struct rule_key *key = &entry->keys[i];
        struct flow_set given_up = flow_set_nothing();
        if (!key_keeps(asking, key) && (key->restriction || !key_is_alike(asking, key, &given_up)))
            given_up = given_up_on(asking, key->id, key_ports(asking, key));
        if (!key_is_alike(asking, key, &given_up)) {
            asking_add_key(asking, key, &given_up);
            continue;
        }
        struct alike *alike = key->restriction ? &restricted : &plain;
        if (alike->restriction != key->restriction)
            asking_add_alike(asking, alike);
        alike->restriction = key->restriction;
        alike->ports[alike->count++] = key_ports(asking, key);
    }
    asking_add_alike(asking, &restricted);
    asking_add_alike(asking, &plain);
}

static void asking_add_deny(struct asking *asking) {
    const struct rule_entry *entry = asking->entry;
    const struct flow_set nothing = flow_set_nothing();
    struct flow_box box = {entry_destinations(entry, asking->upper, asking->arena),
                           entry_ports(entry, asking->upper, asking->arena), payload_set_everything(), asking->origin};
    asking_add(asking, &box, &nothing);
}

static void asking_answer(struct asking *asking, const struct rule_entry *entry, uint32_t origin) {
    asking->entry = entry;
    asking->origin = origin;
    if (entry->deny)
        asking_add_deny(asking);
    else
        asking_add_allow(asking);
}

struct flow_set effect_boxes(const struct effect *effect, const struct rule_entry *entry, bool upper, uint32_t origin,
                             const struct flow_set *about, struct arena *arena) {
    struct asking asking = {.effect = effect, .arena = arena, .upper = upper, .about = about};
    asking_answer(&asking, entry, origin);
    return (struct flow_set){asking.boxes, (uint32_t)asking.count};
}
