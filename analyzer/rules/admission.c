#include "analyzer/rules/admission.h"

#include <string.h>

#include "base/arena.h"

/* ---- ports ---- */

/* A port name stands for the number that a container of the subject gives it. */
static enum truth name_admits(const struct rule_key *key, const struct admission_question *question) {
    if (key->protocol != PROTOCOL_TCP)
        return TRUTH_NO;
    if (!question->pod)
        return TRUTH_MAYBE;
    for (uint32_t i = 0; i < question->pod->port_count; i++) {
        const struct container_port *port = &question->pod->ports[i];
        if (port->name && strcmp(port->name, key->name) == 0 && strcmp(port->protocol, "TCP") == 0 &&
            port->number == question->port)
            return TRUTH_YES;
    }
    return TRUTH_NO;
}

static enum truth key_admits(const struct rule_key *key, const struct admission_question *question) {
    if (key->form == KEY_NAME)
        return name_admits(key, question);
    if (port_set_contains(&key->lower, PROTOCOL_TCP, question->port))
        return TRUTH_YES;
    return port_set_contains(&key->upper, PROTOCOL_TCP, question->port) ? TRUTH_MAYBE : TRUTH_NO;
}

static enum truth entry_admits(const struct rule_entry *entry, const struct admission_question *question) {
    enum truth truth = TRUTH_NO;
    for (size_t i = 0; i < entry->key_count; i++) {
        enum truth key = key_admits(&entry->keys[i], question);
        truth = key > truth ? key : truth;
    }
    return truth;
}

/* ---- sources ---- */

/* What the rules admit, or deny, on the port: for certain, or perhaps. */
static struct destination_set rules_sources(const struct policy_rules *rules, bool deny, bool upper,
                                            const struct admission_question *question) {
    struct arena *arena = question->cluster->arena;
    struct destination_set sources = destination_set_nothing();
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule_entry *entry = &rules->entries[i];
        if (entry->deny != deny || entry_admits(entry, question) < (upper ? TRUTH_MAYBE : TRUTH_YES))
            continue;
        struct destination_set one = entry_destinations(entry, upper, arena);
        sources = destination_set_union(arena, &sources, &one);
    }
    return sources;
}

/* ---- doubts ---- */

static bool entry_find_doubt(const struct rule_entry *entry, const struct admission_question *question,
                             struct part *part, const char **doubt) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (entry->peers[i].doubt) {
            *part = entry->peers[i].part;
            *doubt = entry->peers[i].doubt;
            return true;
        }
    for (size_t i = 0; i < entry->key_count; i++) {
        const struct rule_key *key = &entry->keys[i];
        if (key_admits(key, question) != TRUTH_MAYBE)
            continue;
        *part = entry->part;
        *doubt = key->doubt;
        if (key->form == KEY_NAME)
            *doubt = arena_format(question->cluster->arena,
                                  "the port name %s, which only the containers of the pod settle", key->name);
        return true;
    }
    return false;
}

static bool rules_find_doubt(const struct policy_rules *rules, bool deny, const struct admission_question *question,
                             struct part *part, const char **doubt) {
    for (size_t i = 0; i < rules->count; i++)
        if (rules->entries[i].deny == deny && entry_admits(&rules->entries[i], question) != TRUTH_NO &&
            entry_find_doubt(&rules->entries[i], question, part, doubt))
            return true;
    return false;
}

/* ---- strangers ---- */

enum stranger { STRANGER_IPV4, STRANGER_IPV6, STRANGER_PODS, STRANGER_COUNT };

static const char *const stranger_words[STRANGER_COUNT] = {
    [STRANGER_IPV4] = "every IPv4 address",
    [STRANGER_IPV6] = "every IPv6 address",
    [STRANGER_PODS] = "every pod of every namespace",
};

static struct address_set stranger_addresses(enum stranger stranger) {
    return address_set_family(stranger == STRANGER_IPV4 ? ADDRESS_IPV4 : ADDRESS_IPV6);
}

static enum truth truth_of_emptiness(enum emptiness emptiness) {
    switch (emptiness) {
    case SET_EMPTY:
        return TRUTH_YES;
    case SET_INHABITED:
        return TRUTH_NO;
    case SET_UNDECIDED:
        break;
    }
    return TRUTH_MAYBE;
}

static enum truth truth_not(enum truth truth) {
    return truth == TRUTH_YES ? TRUTH_NO : truth == TRUTH_NO ? TRUTH_YES : TRUTH_MAYBE;
}

static enum truth pods_are_empty(const struct endpoint_set *pods) {
    int64_t effort = ENDPOINT_SET_EFFORT;
    return truth_of_emptiness(endpoint_set_is_empty_within(pods, &effort));
}

/* Whether the set is of all pods of this cluster; those of other clusters of a mesh need not be among them. */
static enum truth names_every_pod(const struct endpoint_set *pods, const struct cluster *cluster) {
    struct value_set local = value_set_of(cluster->arena, &cluster->facts.cluster_name, 1, false, false);
    struct label_set everywhere = label_set_everything();
    struct label_set here =
        label_set_require(cluster->arena, &everywhere, (struct label_key){LABEL_CLUSTER, ""}, &local);
    struct endpoint_set all = endpoint_set_of(cluster->arena, &here);
    struct endpoint_set others = endpoint_set_subtract(cluster->arena, &all, pods);
    return pods_are_empty(&others);
}

static enum truth names_all(enum stranger stranger, const struct destination_set *sources,
                            const struct cluster *cluster) {
    if (stranger == STRANGER_PODS)
        return names_every_pod(&sources->pods, cluster);
    struct address_set all = stranger_addresses(stranger);
    struct address_set others = address_set_subtract(cluster->arena, &all, &sources->addresses);
    return address_set_is_empty(&others) ? TRUTH_YES : TRUTH_NO;
}

static enum truth leaves_any(enum stranger stranger, const struct destination_set *sources,
                             const struct destination_set *denied, struct arena *arena) {
    if (stranger == STRANGER_PODS) {
        struct endpoint_set left = endpoint_set_subtract(arena, &sources->pods, &denied->pods);
        return truth_not(pods_are_empty(&left));
    }
    struct address_set all = stranger_addresses(stranger);
    struct address_set left = address_set_intersect(arena, &all, &sources->addresses);
    left = address_set_subtract(arena, &left, &denied->addresses);
    return address_set_is_empty(&left) ? TRUTH_NO : TRUTH_YES;
}

/* The sets that the question is about, as bounds. */
struct sources {
    struct destination_set named_lower, named_upper, left_lower, left_upper;
};

static enum truth stranger_is_admitted(enum stranger stranger, const struct sources *sources,
                                       const struct admission_denial *denial, const struct cluster *cluster) {
    enum truth certain = truth_and(names_all(stranger, &sources->named_lower, cluster),
                                   leaves_any(stranger, &sources->left_lower, &denial->upper, cluster->arena));
    if (certain == TRUTH_YES)
        return TRUTH_YES;
    enum truth possible = truth_and(names_all(stranger, &sources->named_upper, cluster),
                                    leaves_any(stranger, &sources->left_upper, &denial->lower, cluster->arena));
    return truth_and(possible, TRUTH_MAYBE);
}

/* ---- the place that opens ---- */

static bool names_any_all(const struct destination_set *sources, const bool admitted[STRANGER_COUNT],
                          const struct cluster *cluster) {
    for (unsigned i = 0; i < STRANGER_COUNT; i++)
        if (admitted[i] && names_all((enum stranger)i, sources, cluster) == TRUTH_YES)
            return true;
    return false;
}

static struct part entry_opening_part(const struct rule_entry *entry, const bool admitted[STRANGER_COUNT],
                                      const struct cluster *cluster) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (names_any_all(&entry->peers[i].lower, admitted, cluster))
            return entry->peers[i].part;
    return entry->part;
}

/* The first peer or rule that is wide open by itself; where only several rules together are, the first of them. */
static struct part opening_part(const struct policy_rules *named, const bool admitted[STRANGER_COUNT],
                                const struct admission_question *question) {
    const struct rule_entry *first = NULL;
    for (size_t i = 0; i < named->count; i++) {
        const struct rule_entry *entry = &named->entries[i];
        if (entry->deny || entry_admits(entry, question) != TRUTH_YES)
            continue;
        first = first ? first : entry;
        struct destination_set sources = entry_destinations(entry, false, question->cluster->arena);
        if (names_any_all(&sources, admitted, question->cluster))
            return entry_opening_part(entry, admitted, question->cluster);
    }
    return first ? first->part : (struct part){0};
}

static const char *describe_whom(const bool admitted[STRANGER_COUNT], struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    for (unsigned i = 0; i < STRANGER_COUNT; i++) {
        if (!admitted[i])
            continue;
        if (out.length > 0)
            buffer_add_string(&out, " and ");
        buffer_add_string(&out, stranger_words[i]);
    }
    return buffer_string(&out);
}

/* ---- the question ---- */

struct admission_denial admission_denial_of(const struct selected_rules *selected, size_t count,
                                            const struct admission_question *question) {
    struct arena *arena = question->cluster->arena;
    struct admission_denial denial = {destination_set_nothing(), destination_set_nothing(), {0}, NULL};
    for (size_t i = 0; i < count; i++) {
        struct destination_set upper = rules_sources(selected[i].rules, true, true, question);
        denial.upper = destination_set_union(arena, &denial.upper, &upper);
        if (!denial.doubt)
            rules_find_doubt(selected[i].rules, true, question, &denial.part, &denial.doubt);
        if (!selected[i].certain)
            continue;
        struct destination_set lower = rules_sources(selected[i].rules, true, false, question);
        denial.lower = destination_set_union(arena, &denial.lower, &lower);
    }
    return denial;
}

struct admission admission_of(const struct admission_rules *rules, const struct admission_denial *denial,
                              const struct admission_question *question) {
    const struct cluster *cluster = question->cluster;
    struct sources sources = {
        .named_lower = rules->certain ? rules_sources(rules->named, false, false, question) : destination_set_nothing(),
        .named_upper = rules_sources(rules->named, false, true, question),
        .left_lower = rules->certain ? rules_sources(rules->rules, false, false, question) : destination_set_nothing(),
        .left_upper = rules_sources(rules->rules, false, true, question)};
    struct admission admission = {.open = TRUTH_NO};
    bool admitted[STRANGER_COUNT] = {false};
    for (unsigned i = 0; i < STRANGER_COUNT; i++) {
        enum truth truth = stranger_is_admitted((enum stranger)i, &sources, denial, cluster);
        admitted[i] = truth == TRUTH_YES;
        admission.open = truth > admission.open ? truth : admission.open;
    }
    if (admission.open == TRUTH_YES) {
        admission.whom = describe_whom(admitted, cluster->arena);
        admission.part = opening_part(rules->named, admitted, question);
    } else if (admission.open == TRUTH_MAYBE && rules->certain &&
               !rules_find_doubt(rules->rules, false, question, &admission.part, &admission.doubt)) {
        admission.part = denial->part;
        admission.doubt = denial->doubt;
    }
    return admission;
}
