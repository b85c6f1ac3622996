#include "report/json_parts.h"

static void key_number(struct json_writer *json, const char *key, uint32_t number) {
    json_key(json, key);
    if (number > 0) {
        json_integer(json, number);
    } else {
        json_null(json);
    }
}

void json_member(struct json_writer *json, const char *key, const char *string) {
    json_key(json, key);
    json_string(json, string);
}

void json_location(struct json_writer *json, const struct location *location) {
    if (!location->file) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_member(json, "file", location->file);
    key_number(json, "line", location->line);
    key_number(json, "column", location->column);
    json_end_object(json);
}

void json_object_members(struct json_writer *json, const struct object_name *object) {
    json_member(json, "kind", object->kind);
    json_member(json, "namespace", object->namespace);
    json_member(json, "name", object->name);
}

void json_object_name(struct json_writer *json, const struct object_name *object) {
    if (!object->kind) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_object_members(json, object);
    json_end_object(json);
}

void json_labels(struct json_writer *json, const struct labels *labels) {
    json_begin_object(json);
    for (uint32_t i = 0; i < labels->count; i++) {
        json_member(json, labels->list[i].key, labels->list[i].value);
    }
    json_end_object(json);
}

void json_strings(struct json_writer *json, const struct string_list *strings) {
    json_begin_array(json);
    for (size_t i = 0; i < strings->count; i++) {
        json_string(json, strings->list[i]);
    }
    json_end_array(json);
}

static void witness_destination(struct json_writer *json, const struct witness *witness) {
    json_begin_object(json);
    if (witness->ip) {
        json_member(json, "ip", witness->ip);
    } else if (witness->fqdn) {
        json_member(json, "fqdn", witness->fqdn);
    } else if (witness->entity) {
        json_member(json, "entity", witness->entity);
    } else {
        json_key(json, "pod");
        json_begin_object(json);
        json_key(json, "namespace");
        json_labels(json, &witness->namespace_labels);
        json_key(json, "labels");
        json_labels(json, &witness->pod_labels);
        json_key(json, "present");
        json_bool(json, witness->present);
        json_end_object(json);
    }
    json_end_object(json);
}

void json_witness(struct json_writer *json, const struct witness *witness) {
    if (!witness) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_key(json, "to");
    witness_destination(json, witness);
    json_member(json, "protocol", witness->protocol);
    json_key(json, "port");
    if (witness->has_port) {
        json_integer(json, witness->port);
    } else {
        json_null(json);
    }
    json_member(json, "dnsName", witness->dns_name);
    json_member(json, "serverName", witness->server_name);
    json_end_object(json);
}

static void finding(struct json_writer *json, const struct diagnostic *diagnostic) {
    json_begin_object(json);
    json_member(json, "code", code_word(diagnostic->code));
    json_member(json, "severity", severity_word(diagnostic->severity));
    json_member(json, "message", diagnostic->message);
    json_member(json, "path", diagnostic->path);
    json_member(json, "value", diagnostic->value);
    json_key(json, "location");
    json_location(json, &diagnostic->location);
    json_key(json, "object");
    json_object_name(json, &diagnostic->object);
    json_end_object(json);
}

void json_findings(struct json_writer *json, const struct diagnostic_list *findings) {
    json_begin_array(json);
    for (size_t i = 0; i < findings->count; i++) {
        finding(json, &findings->list[i]);
    }
    json_end_array(json);
}
