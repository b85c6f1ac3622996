#include "analyzer/rules/conflict.h"

#include <string.h>

/* One peer of one entry under one key. */
struct resolved_rule {
    const struct rule_entry *entry;
    const struct rule_key *key;
};

static bool has_requests(const struct rule_key *key) { return key->restriction && key->restriction->requests; }

static bool texts_differ(const char *a, const char *b) { return a && b && strcmp(a, b) != 0; }

/* What two rules under equal keys cannot have together; NULL: nothing. */
static const char *clash(const struct resolved_rule *a, const struct resolved_rule *b, const struct reading *reading) {
    bool same = entries_share_selector(a->entry, b->entry);
    bool parsers_meet = same || reading->class < CILIUM_1_18;
    if (key_has_questions(a->key) && has_requests(b->key) && parsers_meet)
        return "two kinds of L7 rules stand under one port";
    if (key_has_questions(a->key) && key_has_server_names(b->key) && parsers_meet)
        return "DNS names and server names stand under one port";
    if (key_has_server_names(a->key) && has_requests(b->key) && same && !a->key->proxy && !b->key->proxy)
        return "server names meet L7 rules that do not terminate TLS";
    if (same && texts_differ(a->key->proxy, b->key->proxy))
        return "TLS contexts or listeners differ";
    if (same && texts_differ(a->entry->authentication, b->entry->authentication))
        return "authentication modes differ";
    return NULL;
}

static bool has_demands(const struct rule_entry *entry, const struct rule_key *key) {
    return key->restriction || key->proxy || entry->authentication;
}

static const char *entries_clash(const struct rule_entry *a, const struct rule_entry *b,
                                 const struct reading *reading) {
    for (size_t i = 0; i < a->key_count; i++) {
        if (!has_demands(a, &a->keys[i]))
            continue;
        for (size_t k = 0; k < b->key_count; k++) {
            if (!has_demands(b, &b->keys[k]) || strcmp(a->keys[i].id, b->keys[k].id) != 0)
                continue;
            const struct resolved_rule left = {a, &a->keys[i]}, right = {b, &b->keys[k]};
            const char *what = clash(&left, &right, reading);
            what = what ? what : clash(&right, &left, reading);
            if (what)
                return what;
        }
    }
    return NULL;
}

/* Whether any key of the rules demands something that may clash: most policies have none, and end here. */
static bool rules_have_demands(const struct policy_rules *rules) {
    for (size_t i = 0; i < rules->count; i++)
        for (size_t k = 0; k < rules->entries[i].key_count; k++)
            if (!rules->entries[i].deny && has_demands(&rules->entries[i], &rules->entries[i].keys[k]))
                return true;
    return false;
}

static bool clashes_with(const struct selected_rules *selected, size_t index, size_t other,
                         const struct reading *reading, struct rule_conflict *conflict) {
    const struct policy_rules *mine = selected[index].rules, *theirs = selected[other].rules;
    for (size_t i = 0; i < mine->count; i++)
        for (size_t k = 0; k < theirs->count; k++) {
            const struct rule_entry *a = &mine->entries[i], *b = &theirs->entries[k];
            if (a->deny || b->deny)
                continue;
            const char *what = entries_clash(a, b, reading);
            if (what) {
                *conflict = (struct rule_conflict){a, b, index, other, what};
                return true;
            }
        }
    return false;
}

bool rules_conflict(const struct selected_rules *selected, size_t count, size_t index, const struct reading *reading,
                    struct rule_conflict *conflict) {
    if (!reading->cilium || !rules_have_demands(selected[index].rules))
        return false;
    for (size_t other = 0; other < count; other++)
        if (rules_have_demands(selected[other].rules) && clashes_with(selected, index, other, reading, conflict))
            return true;
    return false;
}
