#include "online/snapshot_file.h"

#include "document/writer.h"

static const char *const status_words[] = {[FETCH_READ] = "read",
                                           [FETCH_NOT_SERVED] = "not-served",
                                           [FETCH_FORBIDDEN] = "forbidden",
                                           [FETCH_FAILED] = "failed"};

static void put_string(struct json_writer *json, const char *key, const char *value) {
    json_key(json, key);
    json_string(json, value);
}

static void put_collection(struct json_writer *json, const struct fetch *fetch) {
    json_begin_object(json);
    put_string(json, "resource", fetch->row->resource);
    put_string(json, "group", fetch->row->group);
    json_key(json, "version");
    json_text(json, fetch->version);
    put_string(json, "namespace", fetch->namespace);
    put_string(json, "status", status_words[fetch->status]);
    if (fetch->reason)
        put_string(json, "reason", fetch->reason);
    if (fetch->status == FETCH_READ) {
        put_string(json, "file", fetch->file);
        json_key(json, "items");
        json_integer(json, (int64_t)fetch->items);
        if (fetch->resource_version)
            put_string(json, "resourceVersion", fetch->resource_version);
    }
    json_end_object(json);
}

static void put_namespaces(struct json_writer *json, const struct snapshot_head *head) {
    json_key(json, "namespaces");
    if (!head->namespaces) {
        json_string(json, "all");
        return;
    }
    json_begin_array(json);
    for (size_t i = 0; i < head->namespace_count; i++)
        json_string(json, head->namespaces[i]);
    json_end_array(json);
}

void snapshot_file_print(struct buffer *out, const struct snapshot_head *head, const struct plan *plan) {
    struct json_writer json;
    json_writer_init(&json, out);
    json_begin_object(&json);
    put_string(&json, "apiVersion", "egressc.io/v1");
    put_string(&json, "kind", "EgressSnapshot");
    put_string(&json, "takenAt", head->taken_at);
    put_string(&json, "server", head->server);
    put_string(&json, "serverVersion", head->server_version);
    put_string(&json, "context", head->context);
    put_namespaces(&json, head);
    json_key(&json, "collections");
    json_begin_array(&json);
    for (size_t i = 0; i < plan->count; i++)
        put_collection(&json, &plan->fetches[i]);
    json_end_array(&json);
    json_end_object(&json);
    json_writer_done(&json);
}
