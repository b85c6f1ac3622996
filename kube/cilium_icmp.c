/*
 * ICMP types by name (spec/cilium-egress.md 4.2; RFC 792, RFC 4443 and the IANA registries).
 */
#include "kube/cilium_rule.h"

struct icmp_name {
    const char *name;
    int ipv4, ipv6; /* -1: not of that family */
    bool schema;    /* the CRD's pattern takes it */
};
static const struct icmp_name names[] = {
    {"EchoReply", 0, 129, true},
    {"DestinationUnreachable", 3, 1, true},
    {"Redirect", 5, -1, true},
    {"Echo", 8, -1, true},
    {"EchoRequest", 8, 128, true},
    {"RouterAdvertisement", 9, 134, true},
    {"RouterSelection", 10, -1, true},
    {"TimeExceeded", 11, 3, true},
    {"ParameterProblem", 12, 4, true},
    {"Timestamp", 13, -1, true},
    {"TimestampReply", 14, -1, true},
    {"Photuris", 40, -1, true},
    {"ExtendedEchoRequest", 42, 160, true},
    {"ExtendedEchoReply", 43, 161, false}, /* the pattern has it with a blank inside */
    {"ExtendedEcho Reply", -1, -1, true},
    {"PacketTooBig", -1, 2, true},
    {"MulticastListenerQuery", -1, 130, true},
    {"MulticastListenerReport", -1, 131, true},
    {"MulticastListenerDone", -1, 132, true},
    {"RouterSolicitation", -1, 133, true},
    {"NeighborSolicitation", -1, 135, true},
    {"NeighborAdvertisement", -1, 136, true},
    {"RedirectMessage", -1, 137, true},
    {"RouterRenumbering", -1, 138, true},
    {"ICMPNodeInformationQuery", -1, 139, true},
    {"ICMPNodeInformationResponse", -1, 140, true},
    {"InverseNeighborDiscoverySolicitation", -1, 141, true},
    {"InverseNeighborDiscoveryAdvertisement", -1, 142, true},
    {"HomeAgentAddressDiscoveryRequest", -1, 144, true},
    {"HomeAgentAddressDiscoveryReply", -1, 145, true},
    {"MobilePrefixSolicitation", -1, 146, true},
    {"MobilePrefixAdvertisement", -1, 147, true},
    {"DuplicateAddressRequestCodeSuffix", -1, 157, true},
    {"DuplicateAddressConfirmationCodeSuffix", -1, 158, true},
};

static const struct icmp_name *find_name(struct text name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is(name, names[i].name))
            return &names[i];
    }
    return NULL;
}

bool cilium_icmp_type(const struct node *node, bool ipv6, unsigned *type) {
    int64_t value;
    uint64_t number;
    if (node_integer(node, &value)) {
        *type = (unsigned)value;
        return value >= 0 && value <= 255;
    }
    if (!node_string(node))
        return false;
    if (text_number(node_text(node), 255, &number)) {
        *type = (unsigned)number;
        return true;
    }
    const struct icmp_name *name = find_name(node_text(node));
    int known = !name ? -1 : ipv6 ? name->ipv6 : name->ipv4;
    if (known >= 0)
        *type = (unsigned)known;
    return known >= 0;
}

bool cilium_icmp_name_in_schema(struct text text) {
    uint64_t number;
    const struct icmp_name *name = find_name(text);
    bool padded = text.length > 1 && text.bytes[0] == '0';
    return (name && name->schema) || (!padded && text_number(text, 255, &number));
}
