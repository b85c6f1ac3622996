#include "report/text_parts.h"

#include <string.h>

#include "base/ascii.h"

void text_opening(struct buffer *out, const struct report_options *options, const struct location *location,
                  enum severity severity) {
    paint_place(out, options, location);
    paint_begin(out, options, paint_of_severity(severity));
    buffer_print(out, "%s:", severity_word(severity));
    paint_end(out, options);
    buffer_add_char(out, ' ');
}

void text_closing(struct buffer *out, enum code code) { buffer_print(out, " [%s]\n", code_word(code)); }

void text_object(struct buffer *out, const struct object_name *object) {
    paint_escaped(out, object->kind ? object->kind : "object");
    buffer_add_char(out, ' ');
    if (object->namespace) {
        paint_escaped(out, object->namespace);
        buffer_add_char(out, '/');
    }
    paint_escaped(out, object->name ? object->name : "(unnamed)");
}

static bool is_word(char byte) { return ascii_is_alphanumeric(byte) || byte == '-' || byte == '_'; }

static bool joins(char byte) { return byte == '.' || byte == '/'; }

/* Whether the name or path goes on at `at`: "a/b" does in "a/b-c" and "a/b.c", and not at the end of a sentence. */
static bool goes_on(const char *at) { return is_word(*at) || *at == '[' || (joins(*at) && is_word(at[1])); }

/* Whether the message speaks of it: a whole name or path, not a part of another. */
static bool says(const char *message, const char *what) {
    for (const char *at = message; (at = strstr(at, what)) != NULL; at++) {
        bool begun = at > message && (is_word(at[-1]) || joins(at[-1]));
        if (!begun && !goes_on(at + strlen(what))) {
            return true;
        }
    }
    return false;
}

void text_subject(struct buffer *out, const struct object_name *object, const char *path, const char *message) {
    struct buffer name;
    buffer_init(&name, out->arena);
    text_object(&name, object);
    bool names_object = object->kind && !says(message, buffer_string(&name));
    bool names_path = path && path[0] && !says(message, path);
    if (names_object) {
        buffer_add_string(out, buffer_string(&name));
    }
    if (names_path) {
        buffer_add_string(out, names_object ? ", " : "");
        paint_escaped(out, path);
    }
}

void text_labels(struct buffer *out, const struct labels *labels) {
    buffer_add_char(out, '{');
    for (uint32_t i = 0; i < labels->count; i++) {
        buffer_add_string(out, i ? ", " : "");
        paint_escaped(out, labels->list[i].key);
        buffer_add_char(out, '=');
        paint_escaped(out, labels->list[i].value);
    }
    buffer_add_char(out, '}');
}

static void witness_pod(struct buffer *out, const struct witness *witness) {
    buffer_add_string(out, "a pod ");
    text_labels(out, &witness->pod_labels);
    buffer_add_string(out, " of a namespace ");
    text_labels(out, &witness->namespace_labels);
    buffer_add_string(out, witness->present ? " (among the inputs)" : " (none among the inputs)");
}

static void witness_destination(struct buffer *out, const struct witness *witness) {
    if (witness->ip) {
        paint_escaped(out, witness->ip);
    } else if (witness->fqdn) {
        buffer_add_string(out, "the name ");
        paint_escaped(out, witness->fqdn[0] ? witness->fqdn : ".");
    } else if (witness->entity) {
        buffer_add_string(out, "the entity ");
        paint_escaped(out, witness->entity);
    } else {
        witness_pod(out, witness);
    }
}

static void witness_port(struct buffer *out, const struct witness *witness) {
    if (!witness->has_port) {
        buffer_add_string(out, " by another protocol than TCP, UDP, SCTP and ICMP");
    } else if (strncmp(witness->protocol, "ICMP", 4) == 0) {
        buffer_print(out, " by %s type %u", witness->protocol, witness->port);
    } else {
        buffer_print(out, " on port %u/%s", witness->port, witness->protocol);
    }
}

void text_witness(struct buffer *out, const struct witness *witness) {
    witness_destination(out, witness);
    witness_port(out, witness);
    if (witness->dns_name) {
        buffer_add_string(out, ", asking for the DNS name ");
        paint_escaped(out, witness->dns_name[0] ? witness->dns_name : ".");
    }
    if (witness->server_name) {
        buffer_add_string(out, ", presenting the server name ");
        paint_escaped(out, witness->server_name);
    }
}

void text_findings(struct buffer *out, const struct diagnostic_list *findings, enum severity severity,
                   const struct report_options *options) {
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->list[i].severity == severity) {
            report_write_diagnostics(out, &findings->list[i], 1, options);
        }
    }
}

void text_notes(struct buffer *out, const char *what, const struct string_list *strings,
                const struct report_options *options) {
    for (size_t i = 0; i < strings->count; i++) {
        paint_string(out, options, PAINT_NOTE, "note:");
        buffer_print(out, " %s: ", what);
        paint_escaped(out, strings->list[i]);
        buffer_add_char(out, '\n');
    }
}

void text_rule_name(struct buffer *out, const struct examined *examined) {
    text_object(out, &examined->object);
    if (examined->spec >= 0) {
        buffer_print(out, " specs[%d]", examined->spec);
    }
}

void text_decision_word(struct buffer *out, bool refused, const struct report_options *options) {
    paint_string(out, options, refused ? PAINT_ERROR : PAINT_PASS, refused ? "refuse" : "pass");
}

void text_boundary_summary(struct buffer *out, const struct boundary_decision *boundary,
                           const struct report_options *options) {
    size_t refused = 0;
    for (size_t i = 0; i < boundary->subject_count; i++) {
        refused += boundary->subjects[i].refused;
    }
    paint_begin(out, options, PAINT_PLACE);
    paint_escaped(out, boundary->config_file);
    buffer_print(out, ":%u:", boundary->config_document);
    paint_end(out, options);
    buffer_add_char(out, ' ');
    text_decision_word(out, boundary->refused, options);
    const char *between = " (";
    if (boundary->refusals.count > 0) {
        buffer_print(out, "%s%s", between, code_word(boundary->refusals.list[0].code));
        between = ", ";
    }
    if (boundary->subject_count > 0) {
        buffer_print(out, "%s%zu subject%s", between, boundary->subject_count, boundary->subject_count > 1 ? "s" : "");
        between = ", ";
    } else if (boundary->named_object && boundary->refusals.count == 0) {
        buffer_print(out, "%snamed object %s", between, named_status_word(boundary->named_object->status));
        between = ", ";
    } else if (boundary->fence && boundary->refusals.count == 0) {
        buffer_print(out, "%sfence %s", between, fence_status_word(boundary->fence->status));
        between = ", ";
    }
    if (refused > 0) {
        buffer_print(out, ", %zu refused", refused);
    }
    buffer_add_string(out, between[0] == ',' ? ")" : " (nothing was checked)");
}
