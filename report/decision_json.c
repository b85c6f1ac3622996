#include "report/decision_writer.h"
#include "report/json_parts.h"

static void key_count(struct json_writer *json, const char *key, size_t count) {
    json_key(json, key);
    json_integer(json, (int64_t)count);
}

static void key_decision(struct json_writer *json, bool refused) {
    json_member(json, "decision", refused ? "refuse" : "pass");
}

/* Only an absent value is null: a value that is null is one as well, and `found: null` says either. */
static void key_value(struct json_writer *json, const char *key, const struct node *value) {
    json_key(json, key);
    if (value) {
        json_node(json, value);
    } else {
        json_null(json);
    }
}

static void named_object(struct json_writer *json, const struct named_decision *named) {
    json_begin_object(json);
    json_member(json, "status", named_status_word(named->status));
    json_key(json, "object");
    json_object_name(json, &named->object);
    json_key(json, "location");
    json_location(json, &named->location);
    json_member(json, "part", named->part);
    json_member(json, "path", named->path);
    key_value(json, "expected", named->expected);
    key_value(json, "found", named->found);
    json_member(json, "relation", relation_word(named->relation));
    json_key(json, "witness");
    json_witness(json, named->witness);
    json_end_object(json);
}

static void examined_rule(struct json_writer *json, const struct examined *examined) {
    json_begin_object(json);
    json_object_members(json, &examined->object);
    json_key(json, "spec");
    if (examined->spec >= 0) {
        json_integer(json, examined->spec);
    } else {
        json_null(json);
    }
    json_member(json, "verdict", verdict_word(examined->verdict));
    json_member(json, "detail", examined->detail);
    json_key(json, "location");
    json_location(json, &examined->location);
    json_member(json, "path", examined->path);
    json_key(json, "witness");
    json_witness(json, examined->witness);
    key_count(json, "more", examined->more);
    json_end_object(json);
}

static void side(struct json_writer *json, const struct side_decision *decision) {
    if (!decision) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_member(json, "refusal", decision->refused ? code_word(decision->refusal) : NULL);
    json_key(json, "examined");
    json_begin_array(json);
    for (size_t i = 0; i < decision->examined_count; i++) {
        examined_rule(json, &decision->examined[i]);
    }
    json_end_array(json);
    key_count(json, "notSelecting", decision->not_selecting);
    json_end_object(json);
}

static void subject(struct json_writer *json, const struct subject_decision *decision) {
    json_begin_object(json);
    json_member(json, "namespace", decision->namespace);
    json_key(json, "labels");
    json_labels(json, &decision->labels);
    json_key(json, "pods");
    json_strings(json, &decision->pods);
    key_count(json, "podCount", decision->pod_count);
    key_decision(json, decision->refused);
    json_key(json, "egress");
    side(json, decision->egress);
    json_key(json, "ingress");
    side(json, decision->ingress);
    json_end_object(json);
}

static void fence(struct json_writer *json, const struct fence_decision *decision) {
    if (!decision) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_member(json, "status", fence_status_word(decision->status));
    json_key(json, "refusals");
    json_findings(json, &decision->refusals);
    json_end_object(json);
}

static void boundary_config(struct json_writer *json, const struct boundary_decision *boundary) {
    json_key(json, "config");
    json_begin_object(json);
    json_member(json, "file", boundary->config_file);
    key_count(json, "document", boundary->config_document);
    json_end_object(json);
}

static void boundary_objects(struct json_writer *json, const struct boundary_decision *boundary) {
    json_key(json, "namedObject");
    if (boundary->named_object) {
        named_object(json, boundary->named_object);
    } else {
        json_null(json);
    }
    json_key(json, "grantObjects");
    if (!boundary->has_grants) {
        json_null(json);
        return;
    }
    json_begin_array(json);
    for (size_t i = 0; i < boundary->grant_object_count; i++) {
        named_object(json, &boundary->grant_objects[i]);
    }
    json_end_array(json);
}

static void boundary(struct json_writer *json, const struct boundary_decision *decision) {
    json_begin_object(json);
    boundary_config(json, decision);
    json_member(json, "policyKind", decision->policy_kind);
    json_key(json, "object");
    json_object_name(json, &decision->object);
    key_decision(json, decision->refused);
    json_key(json, "refusals");
    json_findings(json, &decision->refusals);
    boundary_objects(json, decision);
    json_key(json, "subjects");
    json_begin_array(json);
    for (size_t i = 0; i < decision->subject_count; i++) {
        subject(json, &decision->subjects[i]);
    }
    json_end_array(json);
    json_key(json, "fence");
    fence(json, decision->fence);
    json_end_object(json);
}

static void unread_list(struct json_writer *json, const struct decision *decision) {
    json_begin_array(json);
    for (size_t i = 0; i < decision->unread_count; i++) {
        json_begin_object(json);
        json_member(json, "resource", decision->unread[i].resource);
        json_member(json, "why", decision->unread[i].why);
        json_member(json, "reason", decision->unread[i].reason);
        json_end_object(json);
    }
    json_end_array(json);
}

static void inputs_summary(struct json_writer *json, const struct inputs_summary *inputs) {
    json_begin_object(json);
    key_count(json, "files", inputs->files);
    key_count(json, "bytes", inputs->bytes);
    key_count(json, "objects", inputs->objects);
    key_count(json, "skipped", inputs->skipped);
    json_key(json, "excluded");
    json_strings(json, &inputs->excluded);
    json_member(json, "takenAt", inputs->taken_at);
    json_end_object(json);
}

void decision_write_json(struct buffer *out, const struct decision *decision, const struct report_options *options) {
    (void)options;
    struct json_writer json;
    json_writer_init(&json, out);
    json_begin_object(&json);
    json_member(&json, "schema", "egressc.report/1");
    key_decision(&json, decision->refused);
    json_key(&json, "boundaries");
    json_begin_array(&json);
    for (size_t i = 0; i < decision->boundary_count; i++) {
        boundary(&json, &decision->boundaries[i]);
    }
    json_end_array(&json);
    json_key(&json, "findings");
    json_findings(&json, &decision->findings);
    json_key(&json, "unread");
    unread_list(&json, decision);
    json_key(&json, "inputs");
    inputs_summary(&json, &decision->inputs);
    json_key(&json, "assumptions");
    json_strings(&json, &decision->assumptions);
    json_end_object(&json);
    json_writer_done(&json);
}
