/* One row a refusal of spec/config.md: its code, path and place. The place is marked with `@@` in the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "load.h"

#define T "namespace: agents\nsandboxTemplateName: shell\n"
#define S "namespace: agents\nselectorLabels: {app: shell}\n"
#define CORE(kind) T "egress: {policy: {kind: " kind "}"
#define STATIC(hosts) T "egress:\n  engine: cilium\n  policy: {kind: static, allowedHosts: [" hosts "]}\n"
#define NARROWED(hosts, narrowing) STATIC(hosts) "  ciliumNarrowing: {" narrowing "}\n"
#define BOX(fields) CORE("deny-all") ", perSandbox: {engine: cilium, admissionPolicyName: fence" fields "}}\n"
#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A64 A60 "aaaa"
#define P10 "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"

struct row {
    const char *name, *text;
    enum code code;
    const char *path;
};

static const struct row rows[] = {
    /* 1: the root */
    {"no map", "@@- a\n", CODE_CONFIG_UNUSABLE, ""},
    {"no namespace", "@@sandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"namespace null", "@@namespace: null\nsandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"namespace number", "namespace: @@12\nsandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"namespace capitals", "namespace: @@Agents\nsandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"namespace dot", "namespace: @@a.b\nsandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"namespace long", "namespace: @@" A64 "\nsandboxTemplateName: shell\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"unknown root key", T "@@egres: {}\n", CODE_CONFIG_UNUSABLE, "egres"},
    {"unknown root key with dot", T "@@a.b/c: {}\n", CODE_CONFIG_UNUSABLE, "[\"a.b/c\"]"},
    {"duplicate root key", T "@@namespace: agents\n", CODE_CONFIG_UNUSABLE, "namespace"},
    {"neither template nor labels", "@@namespace: agents\n", CODE_CONFIG_UNUSABLE, "sandboxTemplateName"},
    {"template and labels", T "selectorLabels: @@{app: x}\n", CODE_CONFIG_UNUSABLE, "selectorLabels"},
    {"template bool", "namespace: agents\nsandboxTemplateName: @@yes\n", CODE_CONFIG_UNUSABLE, "sandboxTemplateName"},
    {"template underscore", "namespace: agents\nsandboxTemplateName: @@a_b\n", CODE_CONFIG_UNUSABLE,
     "sandboxTemplateName"},
    {"template empty", "namespace: agents\nsandboxTemplateName: @@''\n", CODE_CONFIG_UNUSABLE, "sandboxTemplateName"},
    {"template 64", "namespace: agents\nsandboxTemplateName: @@" A64 "\n", CODE_CONFIG_UNUSABLE, "sandboxTemplateName"},
    {"labels empty", "namespace: agents\nselectorLabels: @@{}\n", CODE_CONFIG_UNUSABLE, "selectorLabels"},
    {"labels list", "namespace: agents\nselectorLabels: @@[a]\n", CODE_CONFIG_UNUSABLE, "selectorLabels"},
    {"label key", "namespace: agents\nselectorLabels: {@@-a: x}\n", CODE_CONFIG_UNUSABLE, "selectorLabels[\"-a\"]"},
    {"label value", "namespace: agents\nselectorLabels: {a: @@-x}\n", CODE_CONFIG_UNUSABLE, "selectorLabels[\"a\"]"},
    {"label value number", "namespace: agents\nselectorLabels: {a: @@1}\n", CODE_CONFIG_UNUSABLE,
     "selectorLabels[\"a\"]"},
    {"label value null", "namespace: agents\nselectorLabels: {a: @@null}\n", CODE_CONFIG_UNUSABLE,
     "selectorLabels[\"a\"]"},
    {"label twice", "namespace: agents\nselectorLabels: {a: x, @@a: z}\n", CODE_CONFIG_UNUSABLE,
     "selectorLabels[\"a\"]"},
    {"pod label key", T "podLabels: {@@a/b/c: x}\n", CODE_CONFIG_UNUSABLE, "podLabels[\"a/b/c\"]"},
    {"agent port 0", T "agentPort: @@0\n", CODE_CONFIG_UNUSABLE, "agentPort"},
    {"agent port 65536", T "agentPort: @@65536\n", CODE_CONFIG_UNUSABLE, "agentPort"},
    {"agent port fraction", T "agentPort: @@80.5\n", CODE_CONFIG_UNUSABLE, "agentPort"},
    {"agent port string", T "agentPort: @@'80'\n", CODE_CONFIG_UNUSABLE, "agentPort"},
    {"ingress word", T "ingress: @@verified\n", CODE_CONFIG_UNUSABLE, "ingress"},
    {"ingress list", T "ingress: @@[]\n", CODE_CONFIG_UNUSABLE, "ingress"},
    {"ingress engine", T "ingress: {engine: @@calico}\n", CODE_CONFIG_UNUSABLE, "ingress.engine"},
    {"ingress unknown key", T "ingress: {@@engin: core}\n", CODE_CONFIG_UNUSABLE, "ingress.engin"},
    {"cluster unknown key", T "cluster: {@@cillium: {}}\n", CODE_CONFIG_UNUSABLE, "cluster.cillium"},
    {"cluster version number", T "cluster: {cilium: {version: @@1.18}}\n", CODE_CONFIG_UNUSABLE,
     "cluster.cilium.version"},
    {"cluster version unmodelled", T "cluster: {cilium: {version: @@'1.14'}}\n", CODE_CONFIG_UNUSABLE,
     "cluster.cilium.version"},

    /* 1: egress */
    {"egress string", T "egress: @@x\n", CODE_CONFIG_UNUSABLE, "egress"},
    {"egress unknown key", T "egress: {policy: {kind: deny-all}, @@polcy: 1}\n", CODE_CONFIG_UNUSABLE, "egress.polcy"},
    {"no policy", T "egress: @@{}\n", CODE_CONFIG_UNUSABLE, "egress.policy"},
    {"policy string", T "egress: {policy: @@deny-all}\n", CODE_CONFIG_UNUSABLE, "egress.policy"},
    {"no kind", T "egress: {policy: @@{}}\n", CODE_CONFIG_UNUSABLE, "egress.policy.kind"},
    {"kind number", T "egress: {policy: {kind: @@1}}\n", CODE_CONFIG_UNUSABLE, "egress.policy.kind"},
    {"engine", CORE("deny-all") ", engine: @@calico}\n", CODE_CONFIG_UNUSABLE, "egress.engine"},
    {"engine bool", CORE("deny-all") ", engine: @@true}\n", CODE_CONFIG_UNUSABLE, "egress.engine"},
    {"verify", CORE("deny-all") ", verify: @@all}\n", CODE_CONFIG_UNUSABLE, "egress.verify"},
    {"field of another kind", T "egress: {policy: {kind: deny-all, @@exceptCidrs: []}}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.exceptCidrs"},
    {"hosts of another kind",
     T "egress: {engine: cilium, policy: {kind: static, allowedHosts: [], @@resolvedHosts: []}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.resolvedHosts"},
    {"hosts no list", T "egress: {engine: cilium, policy: {kind: static, allowedHosts: @@a.example.com}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.allowedHosts"},
    {"profile number", CORE("deny-all") ", profile: @@7}\n", CODE_PROFILE_UNUSABLE, "egress.profile"},
    {"profile key list", CORE("deny-all") ", profileLabelKey: @@[]}\n", CODE_PROFILE_UNUSABLE,
     "egress.profileLabelKey"},
    {"deep subdomains string", CORE("deny-all") ", deepSubdomains: @@'yes'}\n", CODE_CONFIG_UNUSABLE,
     "egress.deepSubdomains"},
    {"no name beside labels", S "egress: @@{policy: {kind: deny-all}}\n", CODE_CONFIG_UNUSABLE,
     "egress.networkPolicyName"},
    {"both host sources",
     T "egress: {engine: cilium, policy: {kind: resolver, resolvedHosts: [], resolvedHostsFile: @@x}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.resolvedHostsFile"},

    /* 2: kind and engine, exceptCidrs */
    {"static under core", T "egress: {policy: {kind: @@static, allowedHosts: []}}\n", CODE_POLICY_UNENFORCEABLE,
     "egress.policy.kind"},
    {"resolver under core", T "egress: {engine: core, policy: {kind: @@resolver, resolvedHosts: []}}\n",
     CODE_POLICY_UNENFORCEABLE, "egress.policy.kind"},
    {"cidrs string", T "egress: {policy: {kind: public-internet, exceptCidrs: @@x}}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.exceptCidrs"},
    {"cidr number", T "egress: {policy: {kind: public-internet, exceptCidrs: [10.0.0.0/8, @@7]}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[1]"},
    {"cidr without prefix", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@192.0.2.1]}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},
    {"cidr prefix 0", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@0.0.0.0/0]}}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.exceptCidrs[0]"},
    {"cidr leading zeros", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@010.0.0.0/8]}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},
    {"cidr prefix zeros", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@10.0.0.0/08]}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},
    {"cidr mapped", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@'::ffff:192.0.2.0/120']}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},
    {"cidr triple colon", T "egress: {policy: {kind: public-internet, exceptCidrs: [@@'2001:db8:::1/64']}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},
    {"cidr host bits on 1.36",
     T "cluster: {kubernetes: {version: '1.36'}}\n"
       "egress: {policy: {kind: public-internet, exceptCidrs: [@@10.0.0.1/8]}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.exceptCidrs[0]"},

    /* 2: narrowing */
    {"narrowing under core", CORE("deny-all") ", ciliumNarrowing: @@{ports: [443]}}\n", CODE_NARROWING_UNSUPPORTED,
     "egress.ciliumNarrowing"},
    {"narrowing of deny-all", CORE("deny-all") ", engine: cilium, ciliumNarrowing: @@{dnsNames: {}}}\n",
     CODE_NARROWING_UNSUPPORTED, "egress.ciliumNarrowing"},
    {"tls ports alone under core", CORE("deny-all") ", ciliumNarrowing: @@{tlsPorts: [443]}}\n",
     CODE_NARROWING_UNSUPPORTED, "egress.ciliumNarrowing"},
    {"port 0", NARROWED("a.example.com", "ports: [443, @@0]"), CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.ports[1]"},
    {"port string", NARROWED("a.example.com", "ports: [@@'443']"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.ports[0]"},
    {"port fraction", NARROWED("a.example.com", "ports: [@@443.5]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.ports[0]"},
    {"port null", NARROWED("a.example.com", "ports: [@@null]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.ports[0]"},
    {"ports empty", NARROWED("a.example.com", "ports: @@[]"), CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.ports"},
    {"ports null", NARROWED("a.example.com", "ports: @@null"), CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.ports"},
    {"ports number", NARROWED("a.example.com", "ports: @@443"), CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.ports"},
    {"41 ports", NARROWED("a.example.com", "ports: @@[" P10 ", " P10 ", " P10 ", " P10 ", 443]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.ports"},
    {"host ports number", NARROWED("a.example.com", "hostPorts: {a.example.com: @@443}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts[\"a.example.com\"]"},
    {"host ports null", NARROWED("a.example.com", "hostPorts: {a.example.com: @@null}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts[\"a.example.com\"]"},
    {"host ports empty", NARROWED("a.example.com", "hostPorts: {a.example.com: @@[]}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts[\"a.example.com\"]"},
    {"host port", NARROWED("a.example.com", "hostPorts: {a.example.com: [@@70000]}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts[\"a.example.com\"][0]"},
    {"host ports list", NARROWED("a.example.com", "hostPorts: @@[443]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts"},
    {"host ports twice", NARROWED("a.example.com", "hostPorts: {a.example.com: [1], @@a.example.com: [2]}"),
     CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.hostPorts[\"a.example.com\"]"},
    {"tls port", NARROWED("a.example.com", "tlsServerNames: true, tlsPorts: [@@0]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.tlsPorts[0]"},
    {"server names string", NARROWED("a.example.com", "tlsServerNames: @@'true'"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.tlsServerNames"},
    {"dns names string", NARROWED("a.example.com", "dnsNames: @@'yes'"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames"},
    {"cluster domain number", NARROWED("a.example.com", "dnsNames: {clusterDomain: @@5}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.clusterDomain"},
    {"cluster domain blank", NARROWED("a.example.com", "dnsNames: {clusterDomain: @@' '}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.clusterDomain"},
    {"suffixes null", NARROWED("a.example.com", "dnsNames: {searchSuffixes: @@null}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.searchSuffixes"},
    {"suffix null", NARROWED("a.example.com", "dnsNames: {searchSuffixes: [@@null]}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.searchSuffixes[0]"},
    {"suffix empty", NARROWED("a.example.com", "dnsNames: {searchSuffixes: [corp.example, @@'']}"),
     CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.dnsNames.searchSuffixes[1]"},
    {"narrowing unknown key", NARROWED("a.example.com", "@@port: [443]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.port"},
    {"dns names unknown key", NARROWED("a.example.com", "dnsNames: {@@suffixes: []}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.suffixes"},

    /* 3: profile */
    {"profile empty", CORE("deny-all") ", profile: @@''}\n", CODE_PROFILE_UNUSABLE, "egress.profile"},
    {"profile capitals", CORE("deny-all") ", profile: @@Open}\n", CODE_PROFILE_UNUSABLE, "egress.profile"},
    {"profile 64", CORE("deny-all") ", profile: @@" A64 "}\n", CODE_PROFILE_UNUSABLE, "egress.profile"},
    {"profile key without profile", CORE("deny-all") ", profileLabelKey: @@bad key}\n", CODE_PROFILE_UNUSABLE,
     "egress.profileLabelKey"},
    {"profile key prefix", CORE("deny-all") ", profile: a, profileLabelKey: @@a..b/c}\n", CODE_PROFILE_UNUSABLE,
     "egress.profileLabelKey"},
    {"profile key of template", CORE("deny-all") ", profileLabelKey: @@sandbox.namzu.ai/template}\n",
     CODE_PROFILE_UNUSABLE, "egress.profileLabelKey"},
    {"profile key dropped", STATIC("") "  profile: open\n  profileLabelKey: @@k8s.io/mode\n", CODE_PROFILE_UNUSABLE,
     "egress.profileLabelKey"},

    /* 4: perSandbox */
    {"per sandbox list", CORE("deny-all") ", perSandbox: @@[]}\n", CODE_CONFIG_UNUSABLE, "egress.perSandbox"},
    {"per sandbox unknown key", BOX(", @@labelKy: a"), CODE_CONFIG_UNUSABLE, "egress.perSandbox.labelKy"},
    {"per sandbox engine absent", CORE("deny-all") ", perSandbox: @@{admissionPolicyName: f}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.engine"},
    {"per sandbox engine", CORE("deny-all") ", perSandbox: {engine: @@core, admissionPolicyName: f}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.engine"},
    {"admission absent", CORE("deny-all") ", perSandbox: @@{engine: cilium}}\n", CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.admissionPolicyName"},
    {"admission padded", CORE("deny-all") ", perSandbox: {engine: cilium, admissionPolicyName: @@'f '}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.admissionPolicyName"},
    {"admission padded with a no-break space",
     CORE("deny-all") ", perSandbox: {engine: cilium, admissionPolicyName: @@'f\xC2\xA0'}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.admissionPolicyName"},
    {"admission number", CORE("deny-all") ", perSandbox: {engine: cilium, admissionPolicyName: @@5}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.admissionPolicyName"},
    {"binding empty", BOX(", admissionPolicyBindingName: @@''"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.admissionPolicyBindingName"},
    {"box narrowing string", BOX(", narrowing: @@x"), CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.narrowing"},
    {"box narrowing port", BOX(", narrowing: {ports: [@@0]}"), CODE_CONFIG_UNUSABLE,
     "egress.perSandbox.narrowing.ports[0]"},
    {"box narrowing tls ports alone", BOX(", narrowing: {tlsPorts: @@[]}"), CODE_CONFIG_UNUSABLE,
     "egress.perSandbox.narrowing.tlsPorts"},
    {"host identity empty", BOX(", hostIdentity: @@''"), CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.hostIdentity"},
    {"host identity padded", BOX(", hostIdentity: @@' x'"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.hostIdentity"},
    {"permitted hosts string", BOX(", permittedHostsParam: @@x"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.permittedHostsParam"},
    {"permitted hosts without name", BOX(", permittedHostsParam: @@{namespace: ns}"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.permittedHostsParam.name"},
    {"permitted hosts name number", BOX(", permittedHostsParam: {name: @@5, namespace: ns}"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.permittedHostsParam.name"},
    {"permitted hosts without namespace", BOX(", permittedHostsParam: @@{name: hosts}"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.permittedHostsParam.namespace"},
    {"label key", BOX(", labelKey: @@a//b"), CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.labelKey"},
    {"label key prefix", BOX(", labelKey: @@a..b/c"), CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.labelKey"},
    {"label key number", BOX(", labelKey: @@1"), CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.labelKey"},
    {"label key of template", BOX(", labelKey: @@sandbox.namzu.ai/template"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.labelKey"},
    {"label key dropped", BOX(", labelKey: @@kubernetes.io/box"), CODE_PER_SANDBOX_UNUSABLE,
     "egress.perSandbox.labelKey"},
    {"label key of profile",
     T "egress: {policy: {kind: deny-all}, profile: p, perSandbox: {engine: cilium, admissionPolicyName: f, labelKey: "
       "@@sandbox.namzu.ai/egress-profile}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.labelKey"},
    {"default label key of profile",
     T "egress: {policy: {kind: deny-all}, profile: p, profileLabelKey: sandbox.namzu.ai/per-sandbox-egress,\n"
       " perSandbox: @@{engine: cilium, admissionPolicyName: f}}\n",
     CODE_PER_SANDBOX_UNUSABLE, "egress.perSandbox.labelKey"},

    /* 5: kind, default name */
    {"unknown kind", T "egress: {policy: {kind: @@Static, allowedHosts: [x]}, engine: cilium}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.kind"},
    {"default name with profile over 253",
     "namespace: agents\nsandboxTemplateName: " A60 A60 A60 A60 A10
     "\negress: {policy: {kind: deny-all}, profile: @@open}\n",
     CODE_PROFILE_UNUSABLE, "egress.profile"},

    /* 6: hosts */
    {"host null", STATIC("@@null"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host map", STATIC("@@{a: b}"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host empty", STATIC("@@''"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host dot", STATIC("@@'.'"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host star", STATIC("a.example.com, @@'*.example.com'"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[1]"},
    {"host scheme", STATIC("@@'https://example.com'"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host trailing dot", STATIC("@@example.com."), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host top level", STATIC("@@.com"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host address", STATIC("@@192.0.2.1"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host label 64", STATIC("@@" A64 ".example.com"), CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host kelvin sign",
     STATIC("@@\xE2\x84\xAA"
            "ey.example.com"),
     CODE_HOST_UNUSABLE, "egress.policy.allowedHosts[0]"},
    {"host 254", STATIC("@@" A60 "." A60 "." A60 "." A60 ".aaaaaaaaaa"), CODE_HOST_UNUSABLE,
     "egress.policy.allowedHosts[0]"},
    {"dot under server names", NARROWED("a.example.com, @@.example.com", "tlsServerNames: true"), CODE_HOST_UNUSABLE,
     "egress.policy.allowedHosts[1]"},
    {"capitals under server names", NARROWED("@@A.example.com", "tlsServerNames: true"), CODE_HOST_UNUSABLE,
     "egress.policy.allowedHosts[0]"},

    /* 7: the rest */
    {"name empty", CORE("deny-all") ", networkPolicyName: @@''}\n", CODE_CONFIG_UNUSABLE, "egress.networkPolicyName"},
    {"name blanks", CORE("deny-all") ", networkPolicyName: @@Not A Name}\n", CODE_CONFIG_UNUSABLE,
     "egress.networkPolicyName"},
    {"no allowed hosts", T "egress: {engine: cilium, policy: @@{kind: static}}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.allowedHosts"},
    {"no resolved hosts", T "egress: {engine: cilium, policy: @@{kind: resolver}}\n", CODE_CONFIG_UNUSABLE,
     "egress.policy.resolvedHosts"},
    {"host ports of no host", NARROWED("a.example.com", "hostPorts: {@@A.example.com: [443]}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.hostPorts[\"A.example.com\"]"},
    {"no host under dns names",
     T "egress:\n  engine: cilium\n  ciliumNarrowing: {dnsNames: true}\n"
       "  policy: {kind: static, allowedHosts: @@[]}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.allowedHosts"},
    {"server names without tls port", NARROWED("a.example.com", "tlsServerNames: @@true, ports: [8443]"),
     CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.tlsServerNames"},
    {"dns namespace empty", NARROWED("a.example.com", "dnsNames: {namespace: @@''}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.namespace"},
    {"cluster domain padded", NARROWED("a.example.com", "dnsNames: {clusterDomain: @@' a'}"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.dnsNames.clusterDomain"},
    {"suffix with leading dot", NARROWED("a.example.com", "dnsNames: {searchSuffixes: [@@.corp.example]}"),
     CODE_CONFIG_UNUSABLE, "egress.ciliumNarrowing.dnsNames.searchSuffixes[0]"},
    {"inactive tls port", NARROWED("a.example.com", "tlsPorts: [@@99999]"), CODE_CONFIG_UNUSABLE,
     "egress.ciliumNarrowing.tlsPorts[0]"},
    {"deep subdomains without version", STATIC("a.example.com") "  deepSubdomains: @@true\n", CODE_CONFIG_UNUSABLE,
     "egress.deepSubdomains"},
    {"deep subdomains before 1.19",
     STATIC("a.example.com") "  deepSubdomains: @@true\ncluster: {cilium: {version: '1.18'}}\n", CODE_CONFIG_UNUSABLE,
     "egress.deepSubdomains"},
    {"grant key no host", BOX(", narrowing: {hostPorts: {@@a b: [1]}}"), CODE_CONFIG_UNUSABLE,
     "egress.perSandbox.narrowing.hostPorts[\"a b\"]"},
    {"grant keys fold", BOX(", narrowing: {hostPorts: {A.example.com: [1], @@a.example.com: [1]}}"),
     CODE_CONFIG_UNUSABLE, "egress.perSandbox.narrowing.hostPorts[\"a.example.com\"]"},
    {"label key is profile key",
     "namespace: agents\nselectorLabels: {@@sandbox.namzu.ai/egress-profile: x}\n"
     "egress: {policy: {kind: deny-all}, networkPolicyName: out, profile: p}\n",
     CODE_CONFIG_UNUSABLE, "selectorLabels[\"sandbox.namzu.ai/egress-profile\"]"},
    {"label key is box key",
     "namespace: agents\nselectorLabels: {@@sandbox.namzu.ai/per-sandbox-egress: x}\n"
     "egress: {policy: {kind: deny-all}, networkPolicyName: out, perSandbox: {engine: cilium, admissionPolicyName: "
     "f}}\n",
     CODE_CONFIG_UNUSABLE, "selectorLabels[\"sandbox.namzu.ai/per-sandbox-egress\"]"},
    {"label key dropped by cilium",
     "namespace: agents\nselectorLabels: {@@kubernetes.io/app: x}\n"
     "egress: {engine: cilium, policy: {kind: static, allowedHosts: []}, networkPolicyName: out}\n",
     CODE_CONFIG_UNUSABLE, "selectorLabels[\"kubernetes.io/app\"]"},
    {"hosts file empty name", T "egress: {engine: cilium, policy: {kind: resolver, resolvedHostsFile: @@''}}\n",
     CODE_CONFIG_UNUSABLE, "egress.policy.resolvedHostsFile"},
};

static const struct diagnostic *first_error(const struct boundary *boundary) {
    for (size_t i = 0; i < boundary->diagnostics.count; i++) {
        if (boundary->diagnostics.list[i].severity == SEVERITY_ERROR) {
            return &boundary->diagnostics.list[i];
        }
    }
    return NULL;
}

static void check_row(const struct row *row) {
    struct arena *arena = arena_create();
    uint32_t line, column;
    struct loaded loaded = load_text(take_marker(arena, row->text, &line, &column));
    const struct diagnostic *error = loaded.config.count ? first_error(loaded_first(&loaded)) : NULL;
    if (!error || loaded.result != CONFIG_REFUSED || loaded_first(&loaded)->usable) {
        fail_msg("%s: accepted", row->name);
    }
    if (error->code != row->code || !error->path || strcmp(error->path, row->path) != 0) {
        fail_msg("%s: %s at %s: %s", row->name, code_word(error->code), error->path, error->message);
    }
    if (error->location.line != line || error->location.column != column) {
        fail_msg("%s: at %u:%u, expected %u:%u", row->name, (unsigned)error->location.line,
                 (unsigned)error->location.column, (unsigned)line, (unsigned)column);
    }
    assert_string_equal(error->location.file, "egress.yaml");
    assert_non_null(error->excerpt);
    loaded_free(&loaded);
    arena_destroy(arena);
}

static void every_refusal_has_code_path_and_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i]);
    }
}

/* A document with one fault draws one refusal: nothing is guessed from it. */
static void one_fault_draws_one_refusal(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        uint32_t line, column;
        struct loaded loaded = load_text(take_marker(arena, rows[i].text, &line, &column));
        size_t errors = loaded_first(&loaded)->diagnostics.errors;
        /* No template of legal length makes a name that long. */
        bool has_template_fault = strstr(rows[i].name, "over 253") != NULL;
        if (errors != (has_template_fault ? 2u : 1u)) {
            fail_msg("%s: %zu refusals:\n%s", rows[i].name, errors, loaded_lines(&loaded, SEVERITY_ERROR));
        }
        loaded_free(&loaded);
        arena_destroy(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_has_code_path_and_place),
        cmocka_unit_test(one_fault_draws_one_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
