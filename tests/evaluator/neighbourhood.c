#include "tests/evaluator/neighbourhood.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/match.h"

static void add_address(struct neighbourhood *place, const struct evaluator_address *address) {
    for (size_t i = 0; i < place->address_count; i++)
        if (memcmp(&place->addresses[i], address, sizeof *address) == 0)
            return;
    place->addresses = arena_grow(place->arena, place->addresses, &place->address_capacity, place->address_count + 1,
                                  sizeof *place->addresses);
    place->addresses[place->address_count++] = *address;
}

static void add_name(struct neighbourhood *place, const char *name) {
    for (size_t i = 0; i < place->name_count; i++)
        if (strcmp(place->names[i], name) == 0)
            return;
    place->names =
        arena_grow(place->arena, place->names, &place->name_capacity, place->name_count + 1, sizeof *place->names);
    place->names[place->name_count++] = name;
}

static void add_port(struct neighbourhood *place, unsigned port) {
    for (size_t i = 0; i < place->port_count; i++)
        if (place->ports[i] == port)
            return;
    place->ports =
        arena_grow(place->arena, place->ports, &place->port_capacity, place->port_count + 1, sizeof *place->ports);
    place->ports[place->port_count++] = port;
}

/* The address that is `step` (1 or -1) further; at the ends of the space it wraps. */
static struct evaluator_address beside(const struct evaluator_address *address, int step) {
    struct evaluator_address other = *address;
    for (size_t i = address->family == 4 ? 4 : 16; i-- > 0;) {
        other.bytes[i] = (uint8_t)(other.bytes[i] + step);
        if (other.bytes[i] != (step > 0 ? 0 : 0xff))
            break;
    }
    return other;
}

static void add_block(struct neighbourhood *place, const struct block *block) {
    struct evaluator_address last = block->first;
    unsigned bits = block->first.family == 4 ? 32 : 128;
    for (unsigned bit = block->length; bit < bits; bit++)
        last.bytes[bit / 8] = (uint8_t)(last.bytes[bit / 8] | 1U << (7 - bit % 8));
    struct evaluator_address before = beside(&block->first, -1), after = beside(&last, 1);
    add_address(place, &block->first);
    add_address(place, &last);
    add_address(place, &before);
    add_address(place, &after);
}

/* Instances of a name or pattern: each star empty, one byte, one label; and what lies just beside it. */
static void add_instances(struct neighbourhood *place, const char *entry) {
    static const char *const stars[] = {"", "a", "a.b"};
    for (size_t i = 0; i < sizeof stars / sizeof *stars; i++) {
        const char *name = "";
        for (const char *p = entry; *p; p++)
            if (*p != '*')
                name = arena_format(place->arena, "%s%c", name, tolower((unsigned char)*p));
            else if (p[1] != '*')
                name = arena_format(place->arena, "%s%s", name, stars[i]);
        size_t length = strlen(name);
        while (length > 0 && name[length - 1] == '.')
            length--;
        name = arena_copy(place->arena, name, length);
        if (*name == '.' || strstr(name, ".."))
            continue;
        add_name(place, name);
        if (!strchr(entry, '*')) {
            add_name(place, arena_format(place->arena, "x.%s", name));
            break;
        }
    }
}

static bool looks_like_name(const char *text) {
    bool dot = strchr(text, '*') != NULL;
    for (const char *p = text; *p; p++) {
        if (!isalnum((unsigned char)*p) && !strchr(".-_*", *p))
            return false;
        dot = dot || (*p == '.' && p[1] != '\0');
    }
    return dot && !isdigit((unsigned char)*text);
}

static void add_number(struct neighbourhood *place, int64_t number) {
    for (int64_t port = number - 1; port <= number + 1; port++)
        if (port >= 0 && port <= 65535)
            add_port(place, (unsigned)port);
}

static void walk(struct neighbourhood *place, const struct node *node) {
    struct block block;
    int64_t number;
    switch ((enum node_kind)node->kind) {
    case NODE_MAP:
        for (uint32_t i = 0; i < node->count; i++)
            walk(place, &node->entries[i].value);
        return;
    case NODE_LIST:
        for (uint32_t i = 0; i < node->count; i++)
            walk(place, &node->items[i]);
        return;
    case NODE_STRING:
        if (match_block_read(node->text, &place->world->reading, &block))
            add_block(place, &block);
        else if (isdigit((unsigned char)*node->text))
            add_number(place, strtol(node->text, NULL, 0));
        else if (looks_like_name(node->text))
            add_instances(place, node->text);
        return;
    case NODE_INT:
    case NODE_FLOAT:
        if (node_integer(node, &number))
            add_number(place, number);
        return;
    case NODE_BOOL:
    case NODE_NULL:
        return;
    }
}

void neighbourhood_find(struct neighbourhood *place, const struct world *world, const struct node *extra,
                        struct arena *arena) {
    static const char *const addresses[] = {"169.254.169.254", "fd00:ec2::254", "10.1.2.3", "198.51.100.7",
                                            "2001:db8::1"};
    static const unsigned ports[] = {53, 80, 443, 8080, 1};
    static const char *const names[] = {"example.com", "a.example.com", "com"};
    *place = (struct neighbourhood){.arena = arena, .world = world};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct evaluator_address address;
        if (match_address_read(addresses[i], &address))
            add_address(place, &address);
    }
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        add_port(place, ports[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_name(place, names[i]);
    for (size_t i = 0; i < world->count; i++) {
        const struct node *spec = node_get(&world->objects[i], "spec"), *specs = node_get(&world->objects[i], "specs");
        if (spec)
            walk(place, spec);
        if (specs)
            walk(place, specs);
    }
    if (extra)
        walk(place, extra);
}

static void choose_destination(const struct neighbourhood *place, struct dice *dice, struct evaluator_flow *flow) {
    size_t what = dice_below(dice, 100);
    flow->address = place->addresses[dice_below(dice, place->address_count)];
    if (what < 30) {
        flow->sort = EVALUATOR_EXTERNAL;
        flow->api_server = what < 2;
    } else if (what < 50) {
        flow->sort = EVALUATOR_LEARNED;
        flow->name = place->names[dice_below(dice, place->name_count)];
    } else if (what < 85) {
        flow->sort = EVALUATOR_POD;
        flow->pod = &place->world->pods[dice_below(dice, place->world->pod_count)];
    } else {
        flow->sort = EVALUATOR_SPECIAL;
        flow->special = (enum evaluator_special)dice_below(dice, EVALUATOR_UNMANAGED + 1);
        flow->api_server = flow->special <= EVALUATOR_REMOTE_NODE && dice_chance(dice, 40);
    }
}

static void choose_payload(const struct neighbourhood *place, struct dice *dice, struct evaluator_flow *flow) {
    size_t what = dice_below(dice, 100);
    flow->payload_name = place->names[dice_below(dice, place->name_count)];
    if (flow->protocol > EVALUATOR_SCTP || what < 40)
        flow->payload = EVALUATOR_ANY_OTHER;
    else if (what < 65 || flow->protocol != EVALUATOR_TCP)
        flow->payload = EVALUATOR_QUESTION;
    else
        flow->payload = what < 90 ? EVALUATOR_SERVER_NAME : EVALUATOR_REQUEST;
}

void neighbourhood_flow(const struct neighbourhood *place, struct dice *dice, struct evaluator_flow *flow) {
    static const enum evaluator_protocol protocols[] = {
        EVALUATOR_TCP, EVALUATOR_TCP,  EVALUATOR_TCP,  EVALUATOR_TCP,    EVALUATOR_UDP,
        EVALUATOR_UDP, EVALUATOR_SCTP, EVALUATOR_ICMP, EVALUATOR_ICMPV6, EVALUATOR_OTHER};
    memset(flow, 0, sizeof *flow);
    choose_destination(place, dice, flow);
    flow->protocol = DICE_PICK(dice, protocols);
    flow->port = place->ports[dice_below(dice, place->port_count)];
    if (flow->protocol == EVALUATOR_ICMP || flow->protocol == EVALUATOR_ICMPV6)
        flow->port = dice_chance(dice, 40) ? 8 : dice_chance(dice, 50) ? 128 : flow->port % 256;
    if (flow->protocol == EVALUATOR_OTHER)
        flow->port = 0;
    choose_payload(place, dice, flow);
}
