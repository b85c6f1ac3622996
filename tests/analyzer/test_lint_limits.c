/* What lint says where there is much to compare: the same as of little, and where it gives up, that it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/analyzer/linting.h"
#include "tests/analyzer/set_rows.h"

enum { MANY = 1200 };

/* A list of `count` items: `format` with two bytes of its number for %A and %B. */
static const char *many(struct arena *arena, unsigned count, const char *format) {
    struct buffer out;
    buffer_init(&out, arena);
    for (unsigned i = 0; i < count; i++) {
        buffer_add_string(&out, i ? ", " : "");
        for (const char *c = format; *c; c++)
            if (*c == '%')
                buffer_print(&out, "%u", *++c == 'A' ? 1 + i / 200 : i % 200);
            else
                buffer_add_char(&out, *c);
    }
    return buffer_string(&out);
}

/* What draws a finding among so many rules, and what takes it away. */
struct crowd {
    const char *code, *before, *item, *after;
};

static const struct crowd crowds[] = {
    /* Denies that close other addresses. */
    {"metadata-address",
     "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{endpointSelector: {}, egress: [{toCIDR: [169.254.0.0/16]}], egressDeny: [",
     "{toCIDR: [10.%A.%B.0/24, 169.254.%A.%B/32]}", "]}\n"},
    /* Peers that open other addresses, and one at the end. */
    {"deny-reopened",
     "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 198.51.100.0/24, except: "
     "[198.51.100.128/25]}}]}, ",
     "{to: [{ipBlock: {cidr: 10.%A.%B.0/24}}]}", ", {to: [{ipBlock: {cidr: 198.51.100.255/32}}]}]}\n"},
    {"allowlist-voided",
     "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{endpointSelector: {}, egress: [{toFQDNs: [{matchName: a.example}]}, ",
     "{toCIDR: [0.0.0.0/0], toPorts: [{ports: [{port: '%A%B', protocol: TCP}]}]}", ", {toCIDR: [0.0.0.0/0]}]}\n"},
    {"dns-narrowing-lifted",
     "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{endpointSelector: {}, egress: [",
     "{toEndpoints: [{matchLabels: {app: d%A-%B}}], toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: "
     "[{matchName: a.example}]}}]}",
     ", {toEndpoints: [{matchLabels: {app: d1-2}}], toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: "
     "[{matchPattern: '*'}]}}]}]}\n"},
    {"redundant-rule",
     "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{podSelector: {}, policyTypes: [Egress], egress: [",
     "{to: [{ipBlock: {cidr: 10.%A.%B.0/25}}]}", ", {to: [{ipBlock: {cidr: 10.1.0.0/26}}]}]}\n"},
    {"unused-rule",
     "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
     "{endpointSelector: {}, egress: [{toCIDR: [10.1.0.0/24]}, {toEntities: [cluster]}], egressDeny: [",
     "{toCIDR: [10.%A.%B.0/25, 10.%A.%B.128/25]}", "]}\n"},
};

static void lint_crowd(struct linting *linting, const struct crowd *crowd, unsigned count, int64_t effort) {
    struct arena *arena = arena_create();
    const struct linting_options options = {.effort = effort};
    const char *text = arena_format(arena, "%s%s%s", crowd->before, many(arena, count, crowd->item), crowd->after);
    linting_text(linting, text, &options);
    arena_destroy(arena);
}

static void many_rules_hide_no_finding(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        static const unsigned counts[] = {3, MANY};
        for (size_t k = 0; k < 2; k++) {
            struct linting linting;
            lint_crowd(&linting, &crowds[i], counts[k], 0);
            if (linting_count(&linting, crowds[i].code) == 0 || linting_count(&linting, "not-examined") != 0)
                fail_msg("%s among %u rules", crowds[i].code, counts[k]);
            linting_end(&linting);
        }
    }
}

/* Whether the code is found, and whether lint says that it did not look to the end. */
struct told {
    bool found, given_up;
};

static struct told tell(const struct crowd *crowd, int64_t effort) {
    struct linting linting;
    lint_crowd(&linting, crowd, 8, effort);
    struct told told = {linting_count(&linting, crowd->code) > 0, false};
    const char *word = arena_format(linting.arena, "`%s`", crowd->code);
    for (size_t i = 0; i < linting.result.findings.count; i++) {
        const struct diagnostic *finding = &linting.result.findings.list[i];
        if (finding->code != CODE_NOT_EXAMINED || !strstr(finding->message, word))
            continue;
        assert_false(told.given_up); /* once a policy */
        told.given_up = true;
        assert_string_equal(finding->path, "spec");
        assert_string_equal(finding->object.name, "a");
        assert_int_equal(finding->severity, SEVERITY_NOTE);
    }
    linting_end(&linting);
    return told;
}

static void what_effort_does_not_reach_is_said(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        int64_t enough = 1, little = 0;
        while (tell(&crowds[i], enough).given_up) {
            little = enough;
            enough *= 2;
        }
        while (enough - little > 1) {
            int64_t middle = (little + enough) / 2;
            bool given_up = tell(&crowds[i], middle).given_up;
            little = given_up ? middle : little;
            enough = given_up ? enough : middle;
        }
        struct told whole = tell(&crowds[i], enough), less = tell(&crowds[i], enough - 1);
        if (!whole.found || whole.given_up || !less.given_up || enough < 2 || enough > 3000)
            fail_msg("%s with an effort of %d: found %d, given up %d; with one less: given up %d", crowds[i].code,
                     (int)enough, whole.found, whole.given_up, less.given_up);
        for (int64_t effort = 1; effort < enough; effort += 1 + effort / 8) {
            struct told told = tell(&crowds[i], effort);
            if (!told.found && !told.given_up)
                fail_msg("%s ends in silence with an effort of %d", crowds[i].code, (int)effort);
        }
    }
}

/* ---- policies that select pods which carry further labels ---- */

#define ODD(name, label, ports)                                                                                        \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name                               \
    ", namespace: ns}\nspec: {podSelector: {matchLabels: {" label ": x}}, policyTypes: [Egress], egress: [{to: "       \
    "[{ipBlock: {cidr: 10.0.0.0/8}}], ports: [" ports "]}]}\n"

/* How many policies look up no name among so many, each with a label of its own, and `last`. */
static void lint_odd(struct linting *linting, unsigned count, const char *last, int64_t effort) {
    struct arena *arena = arena_create();
    const struct linting_options options = {.effort = effort};
    struct buffer text;
    buffer_init(&text, arena);
    for (unsigned i = 0; i < count; i++)
        buffer_print(&text, ODD("p%u", "k%u", "{port: 443}"), i, i);
    buffer_add_string(&text, last);
    linting_text(linting, buffer_string(&text), &options);
    arena_destroy(arena);
}

static void what_further_labels_may_bring_is_looked_for_to_the_end(void **state) {
    (void)state;
    struct linting linting;
    lint_odd(&linting, MANY, ODD("a", "last", "{port: 80}"), 0);
    assert_int_equal(linting_count(&linting, "dns-missing"), MANY + 1);
    assert_int_equal(linting_count(&linting, "not-examined"), 0);
    linting_end(&linting);
    /* One policy that may select the pods of all others opens port 53. */
    lint_odd(&linting, MANY, ODD("a", "last", "{port: 53, protocol: UDP}, {port: 53}"), 0);
    assert_int_equal(linting_count(&linting, "dns-missing"), 0);
    assert_int_equal(linting_count(&linting, "not-examined"), 0);
    linting_end(&linting);
    lint_odd(&linting, 20, ODD("a", "last", "{port: 53, protocol: UDP}"), 0);
    assert_int_equal(linting_count(&linting, "dns-missing"), 0);
    assert_int_equal(linting_count(&linting, "dns-one-protocol"), 1);
    linting_end(&linting);
}

static void further_labels_that_are_not_looked_for_are_told(void **state) {
    enum { FEW = 5 };
    (void)state;
    for (int64_t effort = 1; effort < 100; effort++) {
        struct linting linting;
        lint_odd(&linting, FEW, "", effort);
        size_t found = linting_count(&linting, "dns-missing"), told = linting_count(&linting, "not-examined");
        if (found + told != FEW || (effort == 1 && told == 0))
            fail_msg("%zu found and %zu told with an effort of %d", found, told, (int)effort);
        linting_end(&linting);
    }
}

/* Names that may be asked for on so many ports: one that toFQDNs allows is not among them. */
static void lists_of_many_ports_hide_no_gap(void **state) {
    static const struct crowd ports = {
        "fqdn-dns-gap",
        "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
        "{endpointSelector: {}, egress: [{toFQDNs: [{matchName: b.example}]}, ",
        "{toEndpoints: [{matchLabels: {app: dns}}], toPorts: [{ports: [{port: '%A%B', protocol: UDP}], rules: {dns: "
        "[{matchName: a%B.example}]}}]}",
        "]}\n"};
    (void)state;
    struct linting linting;
    lint_crowd(&linting, &ports, 100, 0);
    assert_int_equal(linting_count(&linting, "fqdn-dns-gap"), 1);
    linting_end(&linting);
}

/* `*.last.example` lacks last.example; among so many names, and at most so many patterns. */
static void many_names_hide_no_gap_of_a_pattern(void **state) {
    enum { PATTERNS_SEARCHED = 3000 };
    static const struct {
        const char *item;
        unsigned count;
        bool found;
    } rows[] = {{"{matchName: 'a%A.e%B.example'}", PATTERNS_SEARCHED + 2, true},
                {"{matchPattern: 'a*.n%A.e%B.example'}", PATTERNS_SEARCHED - 1, true},
                {"{matchPattern: 'a*.n%A.e%B.example'}", PATTERNS_SEARCHED, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct crowd names = {
            "not-matched-by-pattern",
            "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a, namespace: ns}\nspec: "
            "{endpointSelector: {}, egress: [{toFQDNs: [",
            rows[i].item, ", {matchPattern: '*.last.example'}]}]}\n"};
        struct linting linting;
        lint_crowd(&linting, &names, rows[i].count, 0);
        assert_int_equal(linting_count(&linting, "not-matched-by-pattern"), rows[i].found);
        assert_int_equal(linting_count(&linting, "not-examined"), !rows[i].found);
        linting_end(&linting);
    }
}

/* ---- priorities ---- */

#define TIED(name, actions)                                                                                            \
    OTHER("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "name: " name,                                    \
          "spec: {priority: 5, subject: {namespaces: {}}, egress: [" actions "]}")
#define ACTION(action, team) "{action: " action ", to: [{namespaces: {matchLabels: {team: " team "}}}]}"

static void pairs_that_are_not_compared_are_told(void **state) {
    static const char text[] = TIED("a", ACTION("Allow", "red") ", " ACTION("Allow", "blue"))
        TIED("b", ACTION("Allow", "red") ", " ACTION("Deny", "blue"));
    enum { PAIRS = 1 + 4 }; /* of policies and of rules */
    (void)state;
    for (int64_t effort = 1; effort <= PAIRS; effort++) {
        const struct linting_options options = {.effort = effort};
        struct linting linting;
        linting_text(&linting, text, &options);
        assert_int_equal(linting_count(&linting, "priority-tie"), effort == PAIRS);
        assert_int_equal(linting_count(&linting, "not-examined"), effort < PAIRS);
        linting_end(&linting);
    }
}

/* A tie among many policies of other priorities, and of the same without a tie. */
static void many_policies_hide_no_tie(void **state) {
    struct arena *arena = arena_create();
    struct buffer text;
    (void)state;
    buffer_init(&text, arena);
    for (unsigned i = 0; i < 500; i++)
        buffer_print(
            &text,
            "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: n%u}\n"
            "spec: {priority: %u, subject: {namespaces: {}}, egress: [" ACTION("Allow", "green") "]}\n",
            i, i % 10);
    buffer_add_string(&text, TIED("x", ACTION("Deny", "red")) TIED("y", ACTION("Allow", "red")));
    struct linting linting;
    linting_text(&linting, buffer_string(&text), NULL);
    assert_int_equal(linting_count(&linting, "priority-tie"), 1);
    assert_int_equal(linting_count(&linting, "not-examined"), 0);
    linting_end(&linting);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rules_hide_no_finding),
        cmocka_unit_test(what_effort_does_not_reach_is_said),
        cmocka_unit_test(what_further_labels_may_bring_is_looked_for_to_the_end),
        cmocka_unit_test(further_labels_that_are_not_looked_for_are_told),
        cmocka_unit_test(lists_of_many_ports_hide_no_gap),
        cmocka_unit_test(many_names_hide_no_gap_of_a_pattern),
        cmocka_unit_test(pairs_that_are_not_compared_are_told),
        cmocka_unit_test(many_policies_hide_no_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
