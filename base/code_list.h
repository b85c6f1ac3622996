/* CODE(enum name, printed word, severity, one line). Sorted by word. Included several times: no guard. */
CODE(AFTER_DOCUMENT_END, "after-document-end", SEVERITY_ERROR, "content after `...` that readers drop")
CODE(ALLOWLIST_VOIDED, "allowlist-voided", SEVERITY_WARNING,
     "a list of names or CIDRs beside a wider rule for the same pods")
CODE(BASELINE_GONE, "baseline-gone", SEVERITY_NOTE, "an entry of the baseline whose finding is gone")
CODE(CIDR_HOST_BITS, "cidr-host-bits", SEVERITY_WARNING, "a CIDR with address bits beyond its prefix length")
CODE(CIDR_INSIDE_CLUSTER, "cidr-inside-cluster", SEVERITY_WARNING,
     "a CIDR inside pod, service or node ranges that selects none of them")
CODE(CLUSTER_DOMAIN_DIFFERS, "cluster-domain-differs", SEVERITY_WARNING,
     "the names of dnsNames end in another cluster domain than the cluster's")
CODE(CLUSTER_FACT_CONFLICT, "cluster-fact-conflict", SEVERITY_ERROR,
     "a cluster fact of the config contradicts what the snapshot shows")
CODE(CONFIG_UNUSABLE, "config-unusable", SEVERITY_ERROR, "a config that cannot be used as written")
CODE(DENY_FQDN_PRUNED, "deny-fqdn-pruned", SEVERITY_ERROR,
     "`egressDeny` with `toFQDNs`, which is dropped: the deny has no destination left")
CODE(DENY_ONLY, "deny-only", SEVERITY_WARNING, "only `egressDeny`, which denies everything else as well")
CODE(DENY_REOPENED, "deny-reopened", SEVERITY_NOTE, "an `except` whose hole another rule opens")
CODE(DNS_MISSING, "dns-missing", SEVERITY_WARNING, "egress is isolated and no selecting policy opens port 53")
CODE(DNS_NARROWING_LIFTED, "dns-narrowing-lifted", SEVERITY_WARNING, "a list of DNS names that another rule makes void")
CODE(DNS_ONE_PROTOCOL, "dns-one-protocol", SEVERITY_WARNING, "port 53 is open for UDP only, or for TCP only")
CODE(DNS_RESOLVER_MISMATCH, "dns-resolver-mismatch", SEVERITY_WARNING,
     "a DNS rule whose peer selects none of the resolver's pods")
CODE(DNS_SEARCH_GAP, "dns-search-gap", SEVERITY_NOTE, "narrowed DNS names without their search-list forms")
CODE(DNS_UNRESTRICTED, "dns-unrestricted", SEVERITY_NOTE, "every DNS name may be asked: a channel out by queries")
CODE(DUPLICATE_KEY, "duplicate-key", SEVERITY_ERROR, "a key twice in one map; the last one counts")
CODE(DUPLICATE_OBJECT, "duplicate-object", SEVERITY_ERROR, "the same kind, namespace and name twice")
CODE(EGRESS_NOT_LISTED, "egress-not-listed", SEVERITY_ERROR, "egress rules under `policyTypes` without Egress")
CODE(EMPTY_EGRESS_INERT, "empty-egress-inert", SEVERITY_ERROR, "`egress: []` that isolates nothing")
CODE(EMPTY_PEER_OPENS_ALL, "empty-peer-opens-all", SEVERITY_ERROR,
     "ports whose peers are absent, null or empty: any destination on those ports")
CODE(EMPTY_PEER_SELECTS_NOTHING, "empty-peer-selects-nothing", SEVERITY_WARNING,
     "an empty list of peers, which selects nothing")
CODE(EMPTY_PORTS_ALLOW_NOTHING, "empty-ports-allow-nothing", SEVERITY_WARNING,
     "a `toPorts` entry without ports, which allows nothing")
CODE(ENCODING, "encoding", SEVERITY_ERROR, "text that is not UTF-8")
CODE(EVERY_NAMESPACE, "every-namespace", SEVERITY_WARNING, "an allow to the pods of every namespace")
CODE(FENCE_DRIFT, "fence-drift", SEVERITY_WARNING,
     "an admission fence whose expressions are not those that are compiled")
CODE(FENCE_IDENTITY, "fence-identity", SEVERITY_ERROR, "an admission fence that bounds somebody else")
CODE(FENCE_INERT, "fence-inert", SEVERITY_ERROR, "an admission fence that never denies")
CODE(FENCE_MISSING, "fence-missing", SEVERITY_ERROR, "an admission fence, or its binding, that is not there")
CODE(FENCE_PARAM, "fence-param", SEVERITY_ERROR,
     "a companion of the fence, or its ConfigMap, that does not hold what may be granted")
CODE(FENCE_UNREADABLE, "fence-unreadable", SEVERITY_ERROR,
     "an admission fence that cannot be judged from what was read")
CODE(FOREIGN_KIND, "foreign-kind", SEVERITY_NOTE, "a network policy of another API group; it is not read")
CODE(FQDN_DNS_GAP, "fqdn-dns-gap", SEVERITY_WARNING,
     "names that `toFQDNs` allows and the DNS rule does not let the pod ask")
CODE(FQDN_WITHOUT_DNS, "fqdn-without-dns", SEVERITY_ERROR,
     "`toFQDNs` without a DNS rule that the proxy sees: it opens nothing")
CODE(GRANT_EMPTY, "grant-empty", SEVERITY_WARNING,
     "a grant without hosts: nothing was decided about egress for the labels of its pod")
CODE(GRANT_NOT_PERMITTED, "grant-not-permitted", SEVERITY_ERROR, "a host or port outside the permitted-hosts ConfigMap")
CODE(HOST_NETWORK, "host-network", SEVERITY_ERROR, "a hostNetwork pod is outside every policy")
CODE(HOST_PORTS_UNUSED, "host-ports-unused", SEVERITY_WARNING, "a hostPorts key that is no host of the list")
CODE(HOST_UNUSABLE, "host-unusable", SEVERITY_ERROR, "a host entry that cannot be used")
CODE(IDENTITY_LABEL_DROPPED, "identity-label-dropped", SEVERITY_ERROR,
     "a Cilium selector on a label that is not part of identities")
CODE(IGNORE_WITHOUT_REASON, "ignore-without-reason", SEVERITY_ERROR, "an ignore that gives no reason")
CODE(INGRESS_OF_DESTINATION, "ingress-of-destination", SEVERITY_NOTE,
     "a policy selects the destination for ingress, which may refuse what leaves the pod")
CODE(INVALID_CIDR, "invalid-cidr", SEVERITY_ERROR, "a CIDR or `except` that is refused")
CODE(INVALID_FQDN, "invalid-fqdn", SEVERITY_ERROR, "a matchName or matchPattern that is refused")
CODE(INVALID_L7, "invalid-l7", SEVERITY_ERROR, "L7 rules or server names that are refused")
CODE(INVALID_LABEL, "invalid-label", SEVERITY_ERROR, "a label key or value that is refused")
CODE(INVALID_NAME, "invalid-name", SEVERITY_ERROR, "a name or namespace that is refused")
CODE(INVALID_PEER, "invalid-peer", SEVERITY_ERROR, "a peer that is refused, or peers that cannot be combined")
CODE(INVALID_PORT, "invalid-port", SEVERITY_ERROR, "a port, range or protocol that is refused")
CODE(INVALID_RULE, "invalid-rule", SEVERITY_ERROR, "a rule that is refused as a whole")
CODE(INVALID_SELECTOR, "invalid-selector", SEVERITY_ERROR, "a label selector that is refused")
CODE(LABEL_DOMAIN_NOT_ALLOWED, "label-domain-not-allowed", SEVERITY_ERROR,
     "a label that claims stamp on pods is of a domain that the sandbox controller refuses")
CODE(LIMIT, "limit", SEVERITY_ERROR, "a bound on the input was reached")
CODE(METADATA_ADDRESS, "metadata-address", SEVERITY_WARNING, "the cloud's metadata service can be reached")
CODE(MIGHT_SELECT, "might-select", SEVERITY_WARNING, "a policy that selects the pod if it carries further labels")
CODE(NAMED_OBJECT_MISMATCH, "named-object-mismatch", SEVERITY_ERROR, "the named object differs from the compiled one")
CODE(NAMED_OBJECT_MISSING, "named-object-missing", SEVERITY_ERROR, "the named object is not among the inputs")
CODE(NAMED_PORT_UNRESOLVED, "named-port-unresolved", SEVERITY_WARNING, "a port name that no selected destination has")
CODE(NAMESPACE_ABSENT, "namespace-absent", SEVERITY_NOTE, "an object without a namespace, and no --namespace")
CODE(NARROWING_UNSUPPORTED, "narrowing-unsupported", SEVERITY_ERROR, "a narrowing on a kind or engine that has none")
CODE(NAT64_OPEN, "nat64-open", SEVERITY_NOTE, "public-internet includes the NAT64 prefix 64:ff9b::/96")
CODE(NEGATIVE_ONLY_SELECTOR, "negative-only-selector", SEVERITY_WARNING,
     "a Cilium peer of negative requirements alone, which also selects world and nodes")
CODE(NO_COVERING_POLICY, "no-covering-policy", SEVERITY_ERROR, "nothing closes the agent port to strangers")
CODE(NO_ENFORCING_POLICY, "no-enforcing-policy", SEVERITY_ERROR, "nothing puts the pod into default-deny")
CODE(NO_POLICIES, "no-policies", SEVERITY_WARNING, "no policy object is among the inputs")
CODE(NOT_AN_OBJECT, "not-an-object", SEVERITY_NOTE, "a document or item without apiVersion and kind")
CODE(NOT_EVALUABLE, "not-evaluable", SEVERITY_ERROR, "cannot be decided from the inputs")
CODE(NOT_EXAMINED, "not-examined", SEVERITY_NOTE,
     "rules of a policy that were not examined for a code, for it would cost too much")
CODE(NOT_MATCHED_BY_PATTERN, "not-matched-by-pattern", SEVERITY_NOTE,
     "names that look matched by a pattern and are not, or the reverse")
CODE(NOT_READ, "not-read", SEVERITY_ERROR, "a collection that had to be read was not")
CODE(NULL_ENTRY, "null-entry", SEVERITY_ERROR, "a lone dash or null where an entry belongs")
CODE(ONE_FAMILY, "one-family", SEVERITY_NOTE, "all of IPv4 without IPv6, or the reverse")
CODE(OR_FOR_AND, "or-for-and", SEVERITY_WARNING, "a namespace peer and a pod peer as two entries, which open both")
CODE(OWN_NAMESPACE_ONLY, "own-namespace-only", SEVERITY_WARNING,
     "a peer that means its own namespace and meets pods elsewhere only")
CODE(PEER_HOST_NETWORK, "peer-host-network", SEVERITY_WARNING,
     "a peer that selects only hostNetwork pods, which it never matches")
CODE(PEER_UNDECIDABLE, "peer-undecidable", SEVERITY_WARNING, "a peer whose members cannot be seen from objects")
CODE(PER_SANDBOX_UNUSABLE, "per-sandbox-unusable", SEVERITY_ERROR, "a perSandbox field that cannot be used")
CODE(PERMITTED_HOSTS_UNREAD, "permitted-hosts-unread", SEVERITY_WARNING,
     "the permitted-hosts ConfigMap was not found, so grants were not held against it")
CODE(POD_LABEL_MISSING, "pod-label-missing", SEVERITY_ERROR, "a sandbox's pod lacks a label that the config stamps")
CODE(POLICY_TYPES_ABSENT, "policy-types-absent", SEVERITY_WARNING,
     "egress rules without `policyTypes`, which deny all ingress as well")
CODE(POLICY_UNENFORCEABLE, "policy-unenforceable", SEVERITY_ERROR, "a host list under an engine without host names")
CODE(POLICY_WIDENS_EGRESS, "policy-widens-egress", SEVERITY_ERROR, "a policy lets out more than the config does")
CODE(PORT_OPEN, "port-open", SEVERITY_ERROR, "a policy opens the agent port to a wide-open source")
CODE(PORTS_TO_ANYWHERE, "ports-to-anywhere", SEVERITY_WARNING, "a rule with ports and no peers")
CODE(PRIORITY_TIE, "priority-tie", SEVERITY_WARNING,
     "two admin policies of equal priority that overlap with different actions")
CODE(PROFILE_OVERLAP, "profile-overlap", SEVERITY_WARNING, "one template both with and without a profile")
CODE(PROFILE_UNUSABLE, "profile-unusable", SEVERITY_ERROR, "a profile, or its label key, that cannot be used")
CODE(REDUNDANT_RULE, "redundant-rule", SEVERITY_NOTE, "a rule that allows nothing that the rest of its policy does not")
CODE(SCALAR_SURPRISE, "scalar-surprise", SEVERITY_WARNING,
     "an unquoted scalar that readers type otherwise than it looks")
CODE(SELECTS_NOTHING, "selects-nothing", SEVERITY_WARNING, "a selector that no pod or workload of the inputs matches")
CODE(SERVER_NAME_UNUSED, "server-name-unused", SEVERITY_WARNING, "a host none of whose ports is a TLS port")
CODE(SERVICE_PORT, "service-port", SEVERITY_WARNING, "a port of a Service where its target port differs")
CODE(SERVICE_UNRESOLVED, "service-unresolved", SEVERITY_ERROR, "`toServices` that no Service of the inputs resolves")
CODE(SNAPSHOT_INDEX, "snapshot-index", SEVERITY_ERROR,
     "the index of a snapshot is malformed, or its folder does not bear it out")
CODE(SUBDOMAIN_DEPTH, "subdomain-depth", SEVERITY_WARNING, "a leading-dot entry covers one label, not deeper names")
CODE(SYNTAX, "syntax", SEVERITY_ERROR, "neither YAML nor JSON")
CODE(SYSTEM_NAMESPACE, "system-namespace", SEVERITY_NOTE, "a policy in a namespace of the system")
CODE(TEMPLATE, "template", SEVERITY_NOTE, "a Helm or Go template, not a manifest")
CODE(TEMPLATE_LABEL_MISMATCH, "template-label-mismatch", SEVERITY_ERROR,
     "the template label of a SandboxTemplate is not the template's name")
CODE(UNEXPECTED_ANSWER, "unexpected-answer", SEVERITY_ERROR,
     "the answer of explain is not the one that --expect asks for")
CODE(UNKNOWN_FIELD, "unknown-field", SEVERITY_ERROR, "a field that the schema lacks; it is dropped")
CODE(UNKNOWN_KIND_VERSION, "unknown-kind-version", SEVERITY_WARNING,
     "a policy kind at an apiVersion that is not served")
CODE(UNREADABLE, "unreadable", SEVERITY_ERROR, "a file that cannot be opened or read")
CODE(UNUSED_IGNORE, "unused-ignore", SEVERITY_WARNING, "an ignore that matches no finding")
CODE(UNUSED_RULE, "unused-rule", SEVERITY_NOTE, "a rule that allows nothing")
CODE(VERSION_DEPENDENT, "version-dependent", SEVERITY_WARNING, "the meaning differs between the Cilium versions in use")
CODE(WRONG_TYPE, "wrong-type", SEVERITY_ERROR, "a field of another type than its schema's")
