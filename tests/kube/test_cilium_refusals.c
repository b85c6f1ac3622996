/* What API server and agent refuse in Cilium policies, and in which classes of versions: one row each
 * (spec/cilium-egress.md 1.1, 1.2, 3, 4, 5.1, 6, 8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "sample.h"

#define API PROBLEM_REFUSED_API
#define AGENT PROBLEM_REFUSED_AGENT
#define DROPPED PROBLEM_DROPPED
#define TYPE PROBLEM_TYPE
#define RULE(list, entry) "{endpointSelector: {}, " list ": [" entry "]}"
#define EGRESS(entry) RULE("egress", entry)
#define DENY(entry) RULE("egressDeny", entry)
#define PORTS(rule) EGRESS("{toPorts: [" rule "]}")
#define PORT(port) PORTS("{ports: [" port "]}")
#define L7(rest) PORTS("{ports: [{port: '53', protocol: TCP}], " rest "}")
#define AT "spec.egress[0]"
#define AT_DENY "spec.egressDeny[0]"

/* Bits of classes, lowest first: 1.15, 1.16.0, 1.16.4, 1.17.0, 1.17.5, 1.18, 1.19. */
#define ONLY_1_15 0x01
#define ONLY_1_16 0x06
#define TO_1_16 0x07
#define FROM_1_16 0x7e
#define TO_1_17 0x1f
#define FROM_1_17 0x78
#define FROM_1_18 0x60
#define TO_1_18 0x3f
#define ONLY_1_19 0x40

static const struct expected_problem rules[] = {
    {"{egress: [{}]}", API, CODE_INVALID_RULE, "spec", 0, true},
    {"{endpointSelector: null, egress: [{}]}", API, CODE_INVALID_RULE, "spec", 0, true},
    {"{endpointSelector: {}}", API, CODE_INVALID_RULE, "spec", FROM_1_17, false},
    {"{endpointSelector: {}, egress: []}", AGENT, CODE_INVALID_RULE, "spec", FROM_1_17, false},
    {"null", AGENT, CODE_INVALID_RULE, "spec", 0, false},
    {"[]", TYPE, CODE_WRONG_TYPE, "spec", 0, true},
    {"{endpointSelector: [], egress: [{}]}", TYPE, CODE_WRONG_TYPE, "spec.endpointSelector", 0, true},
    {EGRESS("null"), API, CODE_NULL_ENTRY, AT, 0, false},
    {EGRESS("x"), TYPE, CODE_WRONG_TYPE, AT, 0, false},
    {"{endpointSelector: {}, egress: {}, ingress: [{}]}", TYPE, CODE_WRONG_TYPE, "spec.egress", 0, false},
    {"{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: 'no'}}", TYPE, CODE_WRONG_TYPE,
     "spec.enableDefaultDeny.egress", FROM_1_16, false},
    {"{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: false}}", DROPPED, CODE_UNKNOWN_FIELD,
     "spec.enableDefaultDeny", ONLY_1_15, false},
    {"{endpointSelector: {}, egress: [{}], log: {value: a}}", DROPPED, CODE_UNKNOWN_FIELD, "spec.log", TO_1_17, false},
    {"{endpointSelector: {}, egress: [{}], labels: [{value: a}]}", API, CODE_INVALID_LABEL, "spec.labels[0].key", 0,
     false},
    {"{endpointSelector: {}, egress: [{}], labels: [{key: ''}]}", AGENT, CODE_INVALID_LABEL, "spec.labels[0].key", 0,
     false},
    {"{endpointSelector: {}, egress: [{}], log: null}", DROPPED, CODE_UNKNOWN_FIELD, "spec.log", TO_1_17, false},
    {EGRESS("{authentication: {mode: maybe}}"), API, CODE_INVALID_RULE, AT ".authentication.mode", 0, false},
    {EGRESS("{authentication: {}}"), API, CODE_INVALID_RULE, AT ".authentication.mode", 0, false},
    {.spec = NULL},
};
static const struct expected_problem subjects[] = {
    {"{endpointSelector: {matchLabels: {'a:b:c': d}}, egress: [{}]}", AGENT, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchLabels", 0, true},
    {"{endpointSelector: {matchLabels: {'k-8s:a': d}}, egress: [{}]}", AGENT, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchLabels", 0, true},
    {"{endpointSelector: {matchLabels: {a: '-'}}, egress: [{}]}", API, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchLabels", 0, true},
    {"{endpointSelector: {matchExpressions: [{key: a, operator: Gt}]}, egress: [{}]}", API, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchExpressions[0].operator", 0, true},
    {"{endpointSelector: {matchExpressions: [{key: a}]}, egress: [{}]}", API, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchExpressions[0].operator", 0, true},
    {"{endpointSelector: {matchExpressions: [{key: a, operator: In}]}, egress: [{}]}", AGENT, CODE_INVALID_SELECTOR,
     "spec.endpointSelector.matchExpressions[0].values", 0, true},
    {"{endpointSelector: {matchExpressions: [{key: a, operator: In, values: [' ']}]}, egress: [{}]}", AGENT,
     CODE_INVALID_SELECTOR, "spec.endpointSelector.matchExpressions[0].values[0]", 0, true},
    {"{endpointSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}, egress: [{}]}", AGENT,
     CODE_INVALID_SELECTOR, "spec.endpointSelector.matchExpressions[0].values", 0, true},
    {EGRESS("{toEndpoints: [{matchLabels: {a b: c}}]}"), AGENT, CODE_INVALID_SELECTOR, AT ".toEndpoints[0].matchLabels",
     0, false},
    /* Agents before 1.17 do not look into denies. */
    {DENY("{toEndpoints: [{matchLabels: {a b: c}}]}"), AGENT, CODE_INVALID_SELECTOR,
     AT_DENY ".toEndpoints[0].matchLabels", FROM_1_17, false},
    {EGRESS("{toEndpoints: [{matchLabels: {a: 1}}]}"), TYPE, CODE_WRONG_TYPE, AT ".toEndpoints[0].matchLabels[\"a\"]",
     0, false},
    {.spec = NULL},
};
static const struct expected_problem peers[] = {
    {EGRESS("{toEndpoints: [{}], toEntities: [world]}"), AGENT, CODE_INVALID_PEER, AT, 0, false},
    {EGRESS("{toCIDR: [10.0.0.0/8], toCIDRSet: [{cidr: 10.0.0.0/8}]}"), AGENT, CODE_INVALID_PEER, AT, 0, false},
    {EGRESS("{toFQDNs: [{matchName: a}], toCIDR: [10.0.0.0/8]}"), AGENT, CODE_INVALID_PEER, AT, 0, false},
    {DENY("{toEndpoints: [{}], toEntities: [world]}"), AGENT, CODE_INVALID_PEER, AT_DENY, FROM_1_17, false},
    {RULE("ingress", "{fromEndpoints: [{}], fromEntities: [world]}"), AGENT, CODE_INVALID_PEER, "spec.ingress[0]", 0,
     false},
    {EGRESS("{toServices: [{k8sService: {serviceName: a}}], toPorts: [{ports: [{port: '1'}]}]}"), AGENT,
     CODE_INVALID_PEER, AT, TO_1_16, false},
    {EGRESS("{toServices: [{k8sServiceSelector: {}}]}"), API, CODE_INVALID_PEER,
     AT ".toServices[0].k8sServiceSelector.selector", 0, false},
    {EGRESS("{toEntities: [earth]}"), API, CODE_INVALID_PEER, AT ".toEntities[0]", 0, false},
    {EGRESS("{toEntities: [world-ipv4]}"), API, CODE_INVALID_PEER, AT ".toEntities[0]", 0, false},
    {EGRESS("{toEntities: [cluster-mesh]}"), API, CODE_INVALID_PEER, AT ".toEntities[0]", 0, false},
    {EGRESS("{toEntities: [null]}"), API, CODE_NULL_ENTRY, AT ".toEntities[0]", 0, false},
    {EGRESS("{toEntities: world}"), TYPE, CODE_WRONG_TYPE, AT ".toEntities", 0, false},
    {EGRESS("{toNodes: [{}]}"), AGENT, CODE_INVALID_PEER, AT ".toNodes", FROM_1_16, false},
    {EGRESS("{toNodes: [{}]}"), DROPPED, CODE_UNKNOWN_FIELD, AT ".toNodes", ONLY_1_15, false},
    {DENY("{toNodes: [{}]}"), AGENT, CODE_INVALID_PEER, AT_DENY ".toNodes", FROM_1_17, false},
    {EGRESS("{toEndpoints: [{}], toRequires: [{}]}"), API, CODE_INVALID_PEER, AT ".toRequires", ONLY_1_19, false},
    {EGRESS("{toGroups: [{aws: {region: 1}}]}"), TYPE, CODE_WRONG_TYPE, AT ".toGroups[0].aws.region", 0, false},
    {EGRESS("{toFQDN: [{matchName: a}]}"), DROPPED, CODE_UNKNOWN_FIELD, AT ".toFQDN", 0, false},
    {RULE("ingress", "{fromGroups: []}"), DROPPED, CODE_UNKNOWN_FIELD, "spec.ingress[0].fromGroups", ONLY_1_15, false},
    {.spec = NULL},
};
static const struct expected_problem cidrs[] = {
    {EGRESS("{toCIDR: [10.0.0.1]}"), API, CODE_INVALID_CIDR, AT ".toCIDR[0]", 0, false},
    {EGRESS("{toCIDR: ['']}"), API, CODE_INVALID_CIDR, AT ".toCIDR[0]", 0, false},
    {EGRESS("{toCIDR: [010.0.0.0/8]}"), AGENT, CODE_INVALID_CIDR, AT ".toCIDR[0]", 0, false},
    {EGRESS("{toCIDR: ['::ffff:10.0.0.0/104']}"), API, CODE_INVALID_CIDR, AT ".toCIDR[0]", ONLY_1_15, false},
    {EGRESS("{toCIDR: [10]}"), TYPE, CODE_WRONG_TYPE, AT ".toCIDR[0]", 0, false},
    {EGRESS("{toCIDRSet: [{}]}"), API, CODE_INVALID_CIDR, AT ".toCIDRSet[0]", 0, false},
    {RULE("ingress", "{fromCIDRSet: [{cidr: 10.0.0.0/8, cidrGroupRef: a}]}"), API, CODE_INVALID_CIDR,
     "spec.ingress[0].fromCIDRSet[0]", 0, false},
    {EGRESS("{toCIDRSet: [{cidr: 10.0.0.0/8, cidrGroupSelector: {}}]}"), API, CODE_INVALID_CIDR, AT ".toCIDRSet[0]",
     FROM_1_17, false},
    {EGRESS("{toCIDRSet: [{cidr: 10.0.0.0}]}"), API, CODE_INVALID_CIDR, AT ".toCIDRSet[0].cidr", 0, false},
    {EGRESS("{toCIDRSet: [{cidr: 10.0.0.0/8, except: [11.0.0.0/16]}]}"), AGENT, CODE_INVALID_CIDR,
     AT ".toCIDRSet[0].except[0]", 0, false},
    {EGRESS("{toCIDRSet: [{cidr: 10.0.0.0/8, except: ['fd00::/8']}]}"), AGENT, CODE_INVALID_CIDR,
     AT ".toCIDRSet[0].except[0]", 0, false},
    {DENY("{toCIDRSet: [{cidr: 10.0.0.0/8, except: [11.0.0.0/16]}]}"), AGENT, CODE_INVALID_CIDR,
     AT_DENY ".toCIDRSet[0].except[0]", FROM_1_17, false},
    {EGRESS("{toCIDRSet: [{cidrGroupRef: a}]}"), AGENT, CODE_INVALID_PEER, AT ".toCIDRSet[0].cidrGroupRef", ONLY_1_15,
     false},
    {EGRESS("{toCIDRSet: [{cidrGroupRef: a, except: [10.0.0.0/8]}]}"), AGENT, CODE_INVALID_CIDR,
     AT ".toCIDRSet[0].except", ONLY_1_16, false},
    {.spec = NULL},
};
static const struct expected_problem names[] = {
    {EGRESS("{toFQDNs: [{}]}"), API, CODE_INVALID_FQDN, AT ".toFQDNs[0]", FROM_1_16, false},
    {EGRESS("{toFQDNs: [{matchName: '*.a'}]}"), API, CODE_INVALID_FQDN, AT ".toFQDNs[0].matchName", 0, false},
    {EGRESS("{toFQDNs: [{matchName: .a}]}"), API, CODE_INVALID_FQDN, AT ".toFQDNs[0].matchName", 0, false},
    {EGRESS("{toFQDNs: [{matchPattern: a..b}]}"), API, CODE_INVALID_FQDN, AT ".toFQDNs[0].matchPattern", 0, false},
    {EGRESS("{toFQDNs: [{matchPattern: ''}]}"), API, CODE_INVALID_FQDN, AT ".toFQDNs[0].matchPattern", 0, false},
    {EGRESS("{toFQDNs: [{matchName: 5}]}"), TYPE, CODE_WRONG_TYPE, AT ".toFQDNs[0].matchName", 0, false},
    {L7("rules: {dns: [{matchName: 'a b'}]}"), API, CODE_INVALID_FQDN, AT ".toPorts[0].rules.dns[0].matchName", 0,
     false},
    {DENY("{toFQDNs: [{matchName: a}]}"), DROPPED, CODE_DENY_FQDN_PRUNED, AT_DENY ".toFQDNs", 0, false},
    {DENY("{toFQDNs: null}"), DROPPED, CODE_DENY_FQDN_PRUNED, AT_DENY ".toFQDNs", 0, false},
    {.spec = NULL},
};
static const struct expected_problem ports[] = {
    {PORT("{port: 80}"), TYPE, CODE_WRONG_TYPE, AT ".toPorts[0].ports[0].port", 0, false},
    {PORT("{protocol: TCP}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", TO_1_18, false},
    {PORT("{protocol: TCP}"), AGENT, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", ONLY_1_19, false},
    {PORT("{port: ''}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", 0, false},
    {PORT("{port: '-'}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", 0, false},
    {PORT("{port: '08'}"), AGENT, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", 0, false},
    {PORT("{port: '70000'}"), AGENT, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].port", 0, false},
    {DENY("{toPorts: [{ports: [{port: '70000'}]}]}"), AGENT, CODE_INVALID_PORT, AT_DENY ".toPorts[0].ports[0].port",
     FROM_1_17, false},
    {PORT("{port: '80', protocol: tcp}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].protocol", 0, false},
    {PORT("{port: '80', protocol: ICMP}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].protocol", 0, false},
    {PORT("{port: '0', protocol: VRRP}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].protocol", TO_1_18, false},
    {PORT("{port: '0', protocol: VRRP}"), AGENT, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].protocol", ONLY_1_19,
     false},
    {PORT("{port: '80', endPort: 90}"), DROPPED, CODE_UNKNOWN_FIELD, AT ".toPorts[0].ports[0].endPort", ONLY_1_15,
     false},
    {PORT("{port: '80', endPort: 70000}"), API, CODE_INVALID_PORT, AT ".toPorts[0].ports[0].endPort", FROM_1_16, false},
    {PORT("{port: '80', endPort: '90'}"), TYPE, CODE_WRONG_TYPE, AT ".toPorts[0].ports[0].endPort", FROM_1_16, false},
    {EGRESS("{toports: []}"), DROPPED, CODE_UNKNOWN_FIELD, AT ".toports", 0, false},
    {.spec = NULL},
};
static const struct expected_problem icmps[] = {
    {EGRESS("{icmps: [{fields: [{type: 8}]}], toPorts: [{ports: [{port: '1'}]}]}"), AGENT, CODE_INVALID_RULE, AT, 0,
     false},
    {EGRESS("{icmps: [{fields: [{family: IPv4}]}]}"), API, CODE_INVALID_PORT, AT ".icmps[0].fields[0].type", 0, false},
    {EGRESS("{icmps: [{fields: [{type: 8, family: IPv5}]}]}"), API, CODE_INVALID_PORT, AT ".icmps[0].fields[0].family",
     0, false},
    {EGRESS("{icmps: [{fields: [{type: 256}]}]}"), API, CODE_INVALID_PORT, AT ".icmps[0].fields[0].type", ONLY_1_15,
     false},
    {EGRESS("{icmps: [{fields: [{type: 256}]}]}"), AGENT, CODE_INVALID_PORT, AT ".icmps[0].fields[0].type", FROM_1_16,
     false},
    {EGRESS("{icmps: [{fields: [{type: Ping}]}]}"), API, CODE_INVALID_PORT, AT ".icmps[0].fields[0].type", FROM_1_16,
     false},
    {EGRESS("{icmps: [{fields: [{type: PacketTooBig}]}]}"), AGENT, CODE_INVALID_PORT, AT ".icmps[0].fields[0].type",
     FROM_1_16, false},
    {EGRESS("{icmps: [{fields: [{type: EchoRequest}]}]}"), TYPE, CODE_WRONG_TYPE, AT ".icmps[0].fields[0].type",
     ONLY_1_15, false},
    {.spec = NULL},
};
static const struct expected_problem l7[] = {
    {L7("rules: {}"), API, CODE_INVALID_L7, AT ".toPorts[0].rules", FROM_1_16, false},
    {L7("rules: {http: [], dns: []}"), API, CODE_INVALID_L7, AT ".toPorts[0].rules", FROM_1_16, false},
    {L7("rules: {http: [{}], kafka: [{}]}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules", ONLY_1_15, false},
    {PORTS("{ports: [{port: '80'}], rules: {http: [{}]}}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].ports[0].protocol",
     0, false},
    {PORTS("{ports: [{port: '80', protocol: UDP}], rules: {http: [{}]}}"), AGENT, CODE_INVALID_L7,
     AT ".toPorts[0].ports[0].protocol", 0, false},
    {PORTS("{ports: [{port: '0', protocol: TCP}], rules: {http: [{}]}}"), AGENT, CODE_INVALID_L7,
     AT ".toPorts[0].ports[0].port", 0, false},
    {PORTS("{ports: [{port: '0'}], rules: {dns: [{matchPattern: '*'}]}}"), AGENT, CODE_INVALID_L7,
     AT ".toPorts[0].ports[0].port", 0, false},
    {PORTS("{rules: {dns: [{matchPattern: '*'}]}}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules.dns", 0, false},
    {PORTS("{ports: [{port: '53', endPort: 60}], rules: {dns: [{matchPattern: '*'}]}}"), AGENT, CODE_INVALID_L7,
     AT ".toPorts[0].ports[0].endPort", FROM_1_17, false},
    {L7("rules: {http: [{path: '['}]}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules.http[0].path", 0, false},
    {L7("rules: {http: [{method: '(?=a)'}]}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules.http[0].method", 0, false},
    {L7("rules: {http: [{headerMatches: [{name: ''}]}]}"), API, CODE_INVALID_L7,
     AT ".toPorts[0].rules.http[0].headerMatches[0].name", 0, false},
    {L7("rules: {http: [{headerMatches: [{name: a, mismatch: KEEP}]}]}"), API, CODE_INVALID_L7,
     AT ".toPorts[0].rules.http[0].headerMatches[0].mismatch", 0, false},
    {L7("rules: {http: [{paht: a}]}"), DROPPED, CODE_UNKNOWN_FIELD, AT ".toPorts[0].rules.http[0].paht", 0, false},
    {L7("serverNames: ['']"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].serverNames[0]", TO_1_17, false},
    {L7("serverNames: []"), API, CODE_INVALID_L7, AT ".toPorts[0].serverNames", FROM_1_18, false},
    {L7("serverNames: [a.*]"), API, CODE_INVALID_L7, AT ".toPorts[0].serverNames[0]", FROM_1_18, false},
    {L7("serverNames: [a, a]"), API, CODE_INVALID_L7, AT ".toPorts[0].serverNames[1]", FROM_1_18, false},
    {L7("serverNames: [a], rules: {http: [{}]}"), AGENT, CODE_INVALID_L7, AT ".toPorts[0].serverNames", 0, false},
    {L7("terminatingTLS: {}"), API, CODE_INVALID_L7, AT ".toPorts[0].terminatingTLS.secret", 0, false},
    {L7("listener: {name: a}"), API, CODE_INVALID_L7, AT ".toPorts[0].listener.envoyConfig", 0, false},
    {L7("listener: {name: '', envoyConfig: {name: b}}"), API, CODE_INVALID_L7, AT ".toPorts[0].listener.name", 0,
     false},
    {L7("listener: {name: a, envoyConfig: {name: b}}, rules: {http: [{}]}"), AGENT, CODE_INVALID_L7,
     AT ".toPorts[0].listener", 0, false},
    {RULE("ingress", "{toPorts: [{ports: [{port: '53'}], rules: {dns: [{matchPattern: '*'}]}}]}"), AGENT,
     CODE_INVALID_L7, "spec.ingress[0].toPorts[0].rules.dns", 0, false},
    {RULE("ingress", "{toPorts: [{ports: [{port: '80'}], listener: {name: a, envoyConfig: {name: b}}}]}"), AGENT,
     CODE_INVALID_L7, "spec.ingress[0].toPorts[0].listener", 0, false},
    {DENY("{toPorts: [{ports: [{port: '80'}], rules: {http: [{}]}}]}"), DROPPED, CODE_INVALID_L7,
     AT_DENY ".toPorts[0].rules", 0, false},
    {DENY("{toPorts: [{ports: [{port: '80'}], serverNames: [a]}]}"), DROPPED, CODE_INVALID_L7,
     AT_DENY ".toPorts[0].serverNames", 0, false},
    {DENY("{authentication: {mode: required}}"), DROPPED, CODE_UNKNOWN_FIELD, AT_DENY ".authentication", 0, false},
    {.spec = NULL},
};

static void expect(void **state, const struct expected_problem *rows) {
    (void)state;
    sample_expect_problems(OBJECT_CILIUM_NETWORK_POLICY, rows);
}
static void rules_are_checked(void **state) { expect(state, rules); }
static void selectors_are_checked(void **state) { expect(state, subjects); }
static void peers_are_checked(void **state) { expect(state, peers); }
static void cidrs_are_checked(void **state) { expect(state, cidrs); }
static void names_are_checked(void **state) { expect(state, names); }
static void ports_are_checked(void **state) { expect(state, ports); }
static void icmps_are_checked(void **state) { expect(state, icmps); }
static void l7_rules_are_checked(void **state) { expect(state, l7); }

static void legal_policies_have_no_problem(void **state) {
    static const char *const since_1_17[] = {
        EGRESS("{}"),
        DENY("{}"),
        RULE("ingress", "{}"),
        "{endpointSelector: {}, nodeSelector: null, egress: [], ingress: [{}]}",
        "{endpointSelector: {matchLabels: {'k8s:app': a, 'any:b': '', c: null}}, egress: [{}], description: a}",
        EGRESS("{toEndpoints: [], toCIDR: [], toEntities: [all]}"),
        EGRESS("{toEndpoints: [{matchExpressions: [{key: 'reserved:init', operator: DoesNotExist}]}]}"),
        EGRESS("{toCIDR: [10.0.0.5/8, '::/0', '::ffff:10.0.0.0/104']}"),
        /* Only the address of the except is looked at. */
        EGRESS("{toCIDRSet: [{cidr: 10.1.0.0/16, except: [10.1.0.0/8]}, {cidrGroupSelector: {}}, {cidrGroupRef: a}]}"),
        EGRESS("{toFQDNs: [{matchName: A.b., matchPattern: null}, {matchPattern: '**.a'}, {matchPattern: '*'}]}"),
        EGRESS("{toServices: [{k8sService: {serviceName: a, namespace: b}}], toPorts: [{ports: [{port: '1'}]}]}"),
        EGRESS("{toGroups: [{aws: {labels: {a: b}, securityGroupsIds: [c]}}]}"),
        PORTS("{}"),
        PORTS("{ports: []}"),
        PORT("{port: '0'}, {port: '010', protocol: ANY}, {port: '1_000', endPort: 5}, {port: '0x10', protocol: SCTP}"),
        PORT("{port: Http, endPort: 80, protocol: UDP}"),
        EGRESS("{icmps: [{fields: [{type: 8}, {type: '0', family: IPv4}, {type: EchoRequest, family: IPv6}]}, {}]}"),
        PORTS("{ports: [{port: '53'}], rules: {dns: [{matchPattern: '*'}]}}"),
        PORTS("{ports: [{port: '53', protocol: UDP}], rules: {dns: []}}"),
        L7("rules: {http: [{method: GET, path: '/a/.*', headers: ['X-A: b']}]}"),
        L7("rules: {l7proto: a, l7: [{b: c}]}"),
        L7("serverNames: [a.example.com], terminatingTLS: {secret: {name: a}}, rules: {http: [{}]}"),
        L7("listener: {name: a, priority: 5, envoyConfig: {kind: CiliumEnvoyConfig, name: b}}"),
        EGRESS("{authentication: {mode: required}}"),
        DENY("{toPorts: [{ports: [{port: '80', endPort: 90}]}]}"),
        NULL,
    };
    (void)state;
    sample_expect_none(OBJECT_CILIUM_NETWORK_POLICY, since_1_17, FROM_1_17);
}

static void old_agents_take_what_new_ones_refuse(void **state) {
    static const char *const to_1_16[] = {
        "{endpointSelector: {}}",
        DENY("{toEndpoints: [{}], toEntities: [world]}"),
        EGRESS("{toEndpoints: [{}], toRequires: [{}]}"),
        PORTS("{ports: [{port: '53', endPort: 53}], rules: {dns: [{matchName: a}]}}"),
        L7("serverNames: []"),
        NULL,
    };
    static const char *const only_1_15[] = {
        EGRESS("{toFQDNs: [{}]}"),
        L7("rules: {}"),
        L7("rules: {dns: [{matchName: a, matchPattern: b}]}"),
        NULL,
    };
    (void)state;
    sample_expect_none(OBJECT_CILIUM_NETWORK_POLICY, to_1_16, ONLY_1_16);
    sample_expect_none(OBJECT_CILIUM_NETWORK_POLICY, only_1_15, ONLY_1_15);
}

static unsigned count_problems(const struct policy *policy, enum problem_effect effect, enum code code,
                               const char *path, cilium_classes *classes) {
    unsigned count = 0;
    *classes = 0;
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        const struct problem *problem = &policy->problems[i];
        if (problem->effect == effect && problem->code == code && text_is(text_of(problem->part.path), path)) {
            *classes |= problem->classes;
            count++;
        }
    }
    return count;
}

static void a_name_and_a_pattern_in_one_entry_are_refused_by_both(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, EGRESS("{toFQDNs: [{matchName: a, matchPattern: b}]}"));
    assert_int_equal(count_problems(policy, API, CODE_INVALID_FQDN, AT ".toFQDNs[0]", &classes), 1);
    assert_int_equal(classes, FROM_1_16);
    assert_int_equal(count_problems(policy, AGENT, CODE_INVALID_FQDN, AT ".toFQDNs[0]", &classes), 1);
    assert_int_equal(classes, cilium_from(CILIUM_1_15));
    sample_destroy(sample);
}

static void a_group_selector_alone_is_no_source_before_1_17(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, EGRESS("{toCIDRSet: [{cidrGroupSelector: {}}]}"));
    assert_int_equal(count_problems(policy, API, CODE_INVALID_CIDR, AT ".toCIDRSet[0]", &classes), 1);
    assert_int_equal(classes, TO_1_16);
    sample_destroy(sample);
}

static void names_over_255_bytes_are_refused_from_1_17_on(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    char spec[400];
    snprintf(spec, sizeof spec, EGRESS("{toFQDNs: [{matchName: %0256d}]}"), 0);
    const struct policy *policy = sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, spec);
    (void)policy;
    sample_destroy(sample);
    snprintf(spec, sizeof spec, EGRESS("{toFQDNs: [{matchName: a%0255d}]}"), 0);
    policy = sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, spec);
    assert_int_equal(policy->problem_count, 1);
    assert_int_equal(count_problems(policy, API, CODE_INVALID_FQDN, AT ".toFQDNs[0].matchName", &classes), 1);
    assert_int_equal(classes, FROM_1_17);
    sample_destroy(sample);
}

static void more_than_forty_ports_are_refused(void **state) {
    static const struct {
        const char *list, *path;
        enum problem_effect effect;
        cilium_classes classes;
    } rows[] = {
        {"egress", AT ".toPorts[0].ports", API, FROM_1_16},
        {"egress", AT ".toPorts[0].ports", AGENT, ONLY_1_15},
        {"egressDeny", AT_DENY ".toPorts[0].ports", AGENT, FROM_1_17},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample *sample;
        cilium_classes classes;
        char spec[2000];
        int length = snprintf(spec, sizeof spec, "{endpointSelector: {}, %s: [{toPorts: [{ports: [", rows[i].list);
        for (int port = 1; port <= 41; port++)
            length += snprintf(spec + length, sizeof spec - (size_t)length, "{port: '%d'}, ", port);
        snprintf(spec + length, sizeof spec - (size_t)length, "]}]}]}");
        const struct policy *policy = sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, spec);
        assert_int_equal(count_problems(policy, rows[i].effect, CODE_INVALID_RULE, rows[i].path, &classes), 1);
        assert_int_equal(classes, rows[i].classes);
        sample_destroy(sample);
    }
}

static void node_selectors_belong_to_clusterwide_policies(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    const char *spec = "{nodeSelector: {}, egress: [{}]}";
    const struct policy *policy = sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY, spec);
    assert_int_equal(count_problems(policy, AGENT, CODE_INVALID_RULE, "spec.nodeSelector", &classes), 1);
    assert_int_equal(policy->problem_count, 1);
    sample_destroy(sample);
    policy = sample_policy(&sample, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY, spec);
    assert_int_equal(policy->problem_count, 0);
    sample_destroy(sample);
    policy = sample_policy(&sample, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
                           "{nodeSelector: {}, endpointSelector: {}, egress: [{}]}");
    assert_int_equal(count_problems(policy, API, CODE_INVALID_RULE, "spec", &classes), 1);
    assert_false(policy->problems[0].selects);
    sample_destroy(sample);
}

static void rules_for_nodes_have_dns_rules_from_1_17_on_and_no_others(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    const struct policy *policy = sample_policy(
        &sample, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
        "{nodeSelector: {}, egress: [{toPorts: [{ports: [{port: '53'}], rules: {dns: [{matchPattern: '*'}]}}]}]}");
    assert_int_equal(count_problems(policy, AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules", &classes), 1);
    assert_int_equal(classes, TO_1_16);
    sample_destroy(sample);
    policy = sample_policy(
        &sample, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
        "{nodeSelector: {}, egress: [{toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{}]}}]}]}");
    assert_int_equal(count_problems(policy, AGENT, CODE_INVALID_L7, AT ".toPorts[0].rules", &classes), 1);
    assert_int_equal(classes, cilium_from(CILIUM_1_15));
    sample_destroy(sample);
}

static void a_clusterwide_policy_names_no_envoy_config_of_a_namespace(void **state) {
    (void)state;
    struct sample *sample;
    cilium_classes classes;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
                      L7("listener: {name: a, envoyConfig: {kind: CiliumEnvoyConfig, name: b}}"));
    assert_int_equal(count_problems(policy, AGENT, CODE_INVALID_L7, AT ".toPorts[0].listener.envoyConfig", &classes),
                     1);
    sample_destroy(sample);
}

static void faults_in_specs_have_their_index(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy = sample_policy_body(&sample, OBJECT_CILIUM_NETWORK_POLICY,
                                                     "specs: [{endpointSelector: {}, egress: [{}]}, {endpointSelector: "
                                                     "{}, egressDeny: [{toCIDRSet: [{cidr: x}]}]}]");
    assert_int_equal(policy->problem_count, 1);
    assert_string_equal(policy->problems[0].part.path, "specs[1].egressDeny[0].toCIDRSet[0].cidr");
    sample_destroy(sample);
    policy = sample_policy_body(&sample, OBJECT_CILIUM_NETWORK_POLICY, "specs: {}");
    assert_int_equal(policy->problem_count, 1);
    assert_int_equal(policy->problems[0].effect, TYPE);
    assert_true(policy->problems[0].selects);
    sample_destroy(sample);
    policy = sample_policy_body(&sample, OBJECT_NETWORK_POLICY, "specs: []");
    assert_int_equal(policy->problem_count, 1);
    assert_int_equal(policy->problems[0].effect, DROPPED);
    sample_destroy(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(selectors_are_checked),
        cmocka_unit_test(peers_are_checked),
        cmocka_unit_test(cidrs_are_checked),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(ports_are_checked),
        cmocka_unit_test(icmps_are_checked),
        cmocka_unit_test(l7_rules_are_checked),
        cmocka_unit_test(legal_policies_have_no_problem),
        cmocka_unit_test(old_agents_take_what_new_ones_refuse),
        cmocka_unit_test(a_name_and_a_pattern_in_one_entry_are_refused_by_both),
        cmocka_unit_test(a_group_selector_alone_is_no_source_before_1_17),
        cmocka_unit_test(names_over_255_bytes_are_refused_from_1_17_on),
        cmocka_unit_test(more_than_forty_ports_are_refused),
        cmocka_unit_test(node_selectors_belong_to_clusterwide_policies),
        cmocka_unit_test(rules_for_nodes_have_dns_rules_from_1_17_on_and_no_others),
        cmocka_unit_test(a_clusterwide_policy_names_no_envoy_config_of_a_namespace),
        cmocka_unit_test(faults_in_specs_have_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
