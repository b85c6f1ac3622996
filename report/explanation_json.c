#include "report/explanation_writer.h"
#include "report/json_parts.h"

static void key_answer(struct json_writer *json, const char *key, enum answer answer) {
    json_key(json, key);
    if (answer == ANSWER_UNKNOWN) {
        json_null(json);
    } else {
        json_bool(json, answer == ANSWER_YES);
    }
}

static void explained_rule(struct json_writer *json, const struct explained_rule *rule) {
    json_begin_object(json);
    json_member(json, "effect", rule_effect_word(rule->effect));
    json_object_members(json, &rule->object);
    json_member(json, "path", rule->path);
    json_key(json, "location");
    json_location(json, &rule->location);
    json_member(json, "detail", rule->detail);
    json_end_object(json);
}

static void explained_ports(struct json_writer *json, const struct explanation *explanation) {
    json_key(json, "ports");
    if (explanation->has_ports) {
        json_strings(json, &explanation->ports);
    } else {
        json_null(json);
    }
}

void explanation_write_json(struct buffer *out, const struct explanation *explanation,
                            const struct report_options *options) {
    (void)options;
    struct json_writer json;
    json_writer_init(&json, out);
    json_begin_object(&json);
    json_member(&json, "schema", "egressc.explain/1");
    key_answer(&json, "allowed", explanation->allowed);
    key_answer(&json, "isolated", explanation->isolated);
    json_member(&json, "reason", explanation->reason);
    key_answer(&json, "learned", explanation->learned);
    explained_ports(&json, explanation);
    json_key(&json, "rules");
    json_begin_array(&json);
    for (size_t i = 0; i < explanation->rule_count; i++) {
        explained_rule(&json, &explanation->rules[i]);
    }
    json_end_array(&json);
    json_key(&json, "assumptions");
    json_strings(&json, &explanation->assumptions);
    json_key(&json, "findings");
    json_findings(&json, &explanation->findings);
    json_end_object(&json);
    json_writer_done(&json);
}
