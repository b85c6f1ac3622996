#include "tests/evaluator/spell.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/match.h"

static const char *const protocol_words[] = {"TCP", "UDP", "SCTP", "ICMP", "ICMPv6", "other"};
static const char *const special_words[] = {"host", "remote-node", "health", "ingress", "init", "unmanaged"};

/* The next word of the text, which is cut up; NULL at its end. */
static char *next_word(char **text) {
    char *word = *text + strspn(*text, " ");
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, " ");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static const struct evaluator_label *read_labels(const char *text, struct arena *arena, size_t *count) {
    struct evaluator_label *labels = NULL;
    size_t capacity = 0;
    char *rest = arena_copy(arena, text, strlen(text));
    *count = 0;
    while (*rest && strcmp(rest, "-") != 0) {
        char *end = rest + strcspn(rest, ","), *equals = strchr(rest, '=');
        labels = arena_grow(arena, labels, &capacity, *count + 1, sizeof *labels);
        bool more = *end == ',';
        *end = '\0';
        if (equals)
            *equals = '\0';
        labels[(*count)++] = (struct evaluator_label){rest, equals ? equals + 1 : ""};
        rest = more ? end + 1 : end;
    }
    return labels;
}

struct evaluator_pod spell_read_pod(const char *namespace_name, const char *labels, struct arena *arena) {
    struct evaluator_pod pod = {.namespace_known = true, .service_account = "default", .ports_known = true};
    char *name = arena_copy(arena, namespace_name, strlen(namespace_name));
    char *cluster = strchr(name, '@');
    if (cluster) {
        *cluster = '\0';
        pod.cluster = cluster + 1;
    }
    char *slash = strchr(name, '/');
    if (slash) {
        *slash = '\0';
        pod.namespace_labels = read_labels(slash + 1, arena, &pod.namespace_label_count);
    }
    pod.namespace_name = name;
    pod.labels = read_labels(labels, arena, &pod.label_count);
    return pod;
}

static bool read_special(const char *word, struct evaluator_flow *flow) {
    flow->sort = EVALUATOR_SPECIAL;
    size_t length = strcspn(word, "+");
    flow->api_server = word[length] == '+';
    for (size_t i = 0; i < sizeof special_words / sizeof *special_words; i++)
        if (strlen(special_words[i]) == length && strncmp(special_words[i], word, length) == 0) {
            flow->special = (enum evaluator_special)i;
            return true;
        }
    return false;
}

static bool read_destination(char **text, struct arena *arena, struct evaluator_flow *flow) {
    char *word = next_word(text), *more;
    if (!word)
        return false;
    if (strcmp(word, "pod") == 0) {
        struct evaluator_pod *pod = arena_alloc(arena, sizeof *pod);
        char *place = next_word(text), *labels = next_word(text);
        if (!place || !labels)
            return false;
        *pod = spell_read_pod(place, labels, arena);
        flow->sort = EVALUATOR_POD;
        flow->pod = pod;
        return true;
    }
    if (strcmp(word, "ip") != 0 && strcmp(word, "api") != 0 && strcmp(word, "name") != 0)
        return read_special(word, flow);
    flow->sort = EVALUATOR_EXTERNAL;
    flow->api_server = strcmp(word, "api") == 0;
    if (strcmp(word, "name") == 0) {
        flow->sort = EVALUATOR_LEARNED;
        flow->name = next_word(text);
        if (flow->name && strcmp(flow->name, ".") == 0)
            flow->name = "";
    }
    more = next_word(text);
    return more && match_address_read(more, &flow->address);
}

static bool read_payload(char **text, struct evaluator_flow *flow) {
    char *word = next_word(text);
    if (!word)
        return true;
    if (strcmp(word, "http") == 0) {
        flow->payload = EVALUATOR_REQUEST;
        return true;
    }
    flow->payload = strcmp(word, "ask") == 0 ? EVALUATOR_QUESTION : EVALUATOR_SERVER_NAME;
    flow->payload_name = next_word(text);
    return flow->payload_name != NULL;
}

bool spell_read_flow(const char *text, struct arena *arena, struct evaluator_flow *flow) {
    char *rest = arena_copy(arena, text, strlen(text));
    size_t which = 0;
    memset(flow, 0, sizeof *flow);
    if (!read_destination(&rest, arena, flow))
        return false;
    char *word = next_word(&rest);
    while (word && which < 6 && strcmp(word, protocol_words[which]) != 0)
        which++;
    if (!word || which == 6)
        return false;
    flow->protocol = (enum evaluator_protocol)which;
    if (flow->protocol != EVALUATOR_OTHER) {
        word = next_word(&rest);
        if (!word)
            return false;
        flow->port = (unsigned)strtoul(word, NULL, 10);
    }
    return read_payload(&rest, flow);
}

static const char *spell_labels(const struct evaluator_label *labels, size_t count, struct arena *arena) {
    const char *text = count ? "" : "-";
    for (size_t i = 0; i < count; i++)
        text = arena_format(arena, "%s%s%s=%s", text, i ? "," : "", labels[i].key, labels[i].value);
    return text;
}

const char *spell_pod(const struct evaluator_pod *pod, struct arena *arena) {
    const char *place = pod->namespace_name;
    if (pod->namespace_label_count)
        place =
            arena_format(arena, "%s/%s", place, spell_labels(pod->namespace_labels, pod->namespace_label_count, arena));
    if (pod->cluster)
        place = arena_format(arena, "%s@%s", place, pod->cluster);
    return arena_format(arena, "%s %s", place, spell_labels(pod->labels, pod->label_count, arena));
}

static const char *spell_destination(const struct evaluator_flow *flow, struct arena *arena) {
    char address[INET6_ADDRSTRLEN] = "?";
    inet_ntop(flow->address.family == 4 ? AF_INET : AF_INET6, flow->address.bytes, address, sizeof address);
    switch (flow->sort) {
    case EVALUATOR_EXTERNAL:
        return arena_format(arena, "%s %s", flow->api_server ? "api" : "ip", address);
    case EVALUATOR_LEARNED:
        return arena_format(arena, "name %s %s", *flow->name ? flow->name : ".", address);
    case EVALUATOR_POD:
        return arena_format(arena, "pod %s", spell_pod(flow->pod, arena));
    case EVALUATOR_SPECIAL:
        break;
    }
    return arena_format(arena, "%s%s", special_words[flow->special], flow->api_server ? "+api" : "");
}

const char *spell_flow(const struct evaluator_flow *flow, struct arena *arena) {
    const char *text = spell_destination(flow, arena);
    text = arena_format(arena, "%s %s", text, protocol_words[flow->protocol]);
    if (flow->protocol != EVALUATOR_OTHER)
        text = arena_format(arena, "%s %u", text, flow->port);
    switch (flow->payload) {
    case EVALUATOR_ANY_OTHER:
        return text;
    case EVALUATOR_REQUEST:
        return arena_format(arena, "%s http", text);
    case EVALUATOR_QUESTION:
        return arena_format(arena, "%s ask %s", text, flow->payload_name);
    case EVALUATOR_SERVER_NAME:
        break;
    }
    return arena_format(arena, "%s sni %s", text, flow->payload_name);
}

const char *spell_reading(const struct evaluator_reading *reading, struct arena *arena) {
    if (reading->engine == EVALUATE_CORE)
        return arena_format(arena, "core%s%s", reading->octal_zeros ? " octal" : "",
                            reading->mapped_as_ipv4 ? " mapped" : "");
    const char *patch = reading->patch == UINT_MAX ? "" : arena_format(arena, ".%u", reading->patch);
    return arena_format(arena, "cilium 1.%u%s%s%s%s%s%s%s%s%s%s", reading->minor, patch, reading->sctp ? " sctp" : "",
                        reading->default_label_filter ? " filter" : "", reading->local_cluster ? " local" : "",
                        reading->match_nodes ? " nodes" : "", reading->match_pods ? " pods" : "",
                        reading->l7_proxy ? "" : " no-proxy", reading->always ? " always" : "",
                        reading->octal_zeros ? " octal" : "", reading->mapped_as_ipv4 ? " mapped" : "");
}
