#include "ir/everything.h"

#define ALL_ONES                                                                                                       \
    { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 }

const struct address_range everything_addresses[EVERYTHING_FAMILIES] = {
    [ADDRESS_IPV4] = {{ADDRESS_IPV4, {0}}, {ADDRESS_IPV4, {255, 255, 255, 255}}},
    [ADDRESS_IPV6] = {{ADDRESS_IPV6, {0}}, {ADDRESS_IPV6, ALL_ONES}},
};

const struct port_range everything_ports = {0, 65535}, everything_types = {0, 255}, everything_other = {0, 0};

const struct name_term everything_name = {NULL, 0, {NULL, 0}};

const struct endpoint_term everything_pod = {{NULL, 0}, NULL, 0};

const struct learned_set everything_pair = {{&everything_name, 1}, {everything_addresses, EVERYTHING_FAMILIES}};

const struct flow_box everything_flow = {
    .destinations = {.addresses = {everything_addresses, EVERYTHING_FAMILIES},
                     .learned = &everything_pair,
                     .learned_count = 1,
                     .pods = {&everything_pod, 1},
                     .specials = EVERYTHING_SPECIALS},
    .ports = {.of = {[PROTOCOL_TCP] = {&everything_ports, 1},
                     [PROTOCOL_UDP] = {&everything_ports, 1},
                     [PROTOCOL_SCTP] = {&everything_ports, 1},
                     [PROTOCOL_ICMP] = {&everything_types, 1},
                     [PROTOCOL_ICMPV6] = {&everything_types, 1},
                     [PROTOCOL_OTHER] = {&everything_other, 1}}},
    .payloads = {.questions = {&everything_name, 1},
                 .server_names = {&everything_name, 1},
                 .requests_complement = true,
                 .other = true},
};
