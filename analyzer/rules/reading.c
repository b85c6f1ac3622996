#include "analyzer/rules/reading.h"

#include "base/arena.h"

static struct reading reading_base(const struct cluster *cluster, bool cilium) {
    const struct cluster_facts *facts = &cluster->facts;
    return (struct reading){
        .cilium = cilium,
        .sctp = !cilium || facts->sctp,
        .match_nodes = cilium && facts->match_nodes,
        .match_pods = cilium && facts->match_pods,
        .l7_proxy = facts->l7_proxy,
        .always = cilium && facts->enforcement == ENFORCEMENT_ALWAYS,
        .filters_labels = cilium,
        .filter =
            cilium ? identity_filter_of(facts_know(facts, FACT_LABELS) ? facts->labels : NULL, cluster->arena) : NULL,
    };
}

/* Doubles the list: each reading once as it is, once with the change of `aspect`. */
static size_t readings_double(struct reading *list, size_t count, unsigned aspect) {
    for (size_t i = 0; i < count; i++) {
        struct reading *twin = &list[count + i];
        *twin = list[i];
        switch ((enum reading_aspect)aspect) {
        case ASPECT_LABEL_FILTER:
            twin->filters_labels = false;
            break;
        case ASPECT_LEADING_ZEROS:
            twin->octal = true;
            break;
        case ASPECT_MAPPED:
            twin->mapped = true;
            break;
        case ASPECT_REFUSED:
            twin->refused_count = true;
            break;
        }
    }
    return count * 2;
}

struct reading_list readings_of(const struct cluster *cluster, bool cilium, unsigned aspects) {
    struct reading *list = arena_array(cluster->arena, (size_t)CILIUM_CLASS_COUNT * 16, sizeof *list);
    size_t count = 0;
    unsigned classes = cilium ? cilium_classes_of(&cluster->facts) : 1u << CILIUM_1_19;
    for (unsigned version = 0; version < CILIUM_CLASS_COUNT; version++) {
        if ((classes >> version & 1u) == 0)
            continue;
        struct reading reading = reading_base(cluster, cilium);
        reading.class = (enum cilium_class)version;
        reading.local_cluster =
            facts_know(&cluster->facts, FACT_LOCAL_CLUSTER) ? cluster->facts.local_cluster : version >= CILIUM_1_19;
        list[count++] = reading;
    }
    if (!cilium || facts_know(&cluster->facts, FACT_LABELS))
        aspects &= ~(unsigned)ASPECT_LABEL_FILTER;
    for (unsigned aspect = ASPECT_LABEL_FILTER; aspect <= ASPECT_REFUSED; aspect <<= 1)
        if (aspects & aspect)
            count = readings_double(list, count, aspect);
    return (struct reading_list){list, count};
}

void reading_print(struct buffer *out, const struct reading *reading) {
    if (reading->cilium) {
        buffer_print(out, "Cilium %s", cilium_class_word(reading->class));
        if (!reading->filters_labels)
            buffer_add_string(out, ", no label filter");
    } else {
        buffer_add_string(out, "the Kubernetes API");
    }
    if (reading->octal)
        buffer_add_string(out, ", leading zeros as octal");
    if (reading->mapped)
        buffer_add_string(out, ", IPv4-mapped blocks as IPv4");
    if (reading->refused_count)
        buffer_add_string(out, ", refused objects in force");
}
