/* Every kind and narrowing in both formats against pinned bytes: fixtures/compile/NAME.yaml gives golden/compile/NAME.*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "compiler/diff.h"
#include "compiler/translate.h"
#include "document/reader.h"
#include "document/writer.h"
#include "load.h"

#define FIXTURES TEST_SOURCE_DIR "/fixtures/compile/"
#define GOLDEN TEST_SOURCE_DIR "/golden/compile/"

static const char *const names[] = {
    "allow_all",
    "deep_subdomains",
    "deny_all",
    "labels_profile_and_name",
    "narrowed_dns_names",
    "narrowed_dns_names_with_defaults",
    "narrowed_host_ports_alone",
    "narrowed_ports",
    "no_network",
    "profile_in_the_default_name",
    "public_internet",
    "public_internet_with_exceptions",
    "resolver_hosts_of_a_file",
    "server_names",
    "several_documents",
    "static_hosts",
    "static_without_hosts",
};

/* A config of the fixtures; it must be usable. */
static struct config read_fixture(const char *name, struct arena *arena) {
    struct diagnostics diagnostics;
    struct config config;
    struct config_options options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, arena);
    const char *path = arena_format(arena, FIXTURES "%s.yaml", name);
    if (config_read(path, &options, arena, &config, &diagnostics) != CONFIG_OK) {
        fail_msg("%s is refused", path);
    }
    return config;
}

static void compare_with_golden(const char *name, const char *extension, struct text got, struct arena *arena) {
    struct diagnostics diagnostics;
    struct limits limits = limits_default();
    struct text wanted;
    diagnostics_init(&diagnostics, arena);
    const char *path = arena_format(arena, GOLDEN "%s.%s", name, extension);
    if (!reader_slurp(path, &limits, arena, &wanted, &diagnostics)) {
        fail_msg("cannot read %s", path);
    }
    struct buffer diff;
    buffer_init(&diff, arena);
    if (diff_unified(&diff, path, wanted, "got", got)) {
        fail_msg("other bytes:\n%s", buffer_string(&diff));
    }
}

static void every_config_compiles_to_its_pinned_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena *arena = arena_create();
        struct config config = read_fixture(names[i], arena);
        struct buffer yaml, json;
        buffer_init(&yaml, arena);
        buffer_init(&json, arena);
        for (size_t b = 0; b < config.count; b++) {
            const struct node *object = boundary_compile(&config.boundaries[b], arena);
            if (object) {
                buffer_add_string(&yaml, yaml.length ? "---\n" : "");
                writer_yaml(&yaml, object);
                writer_json(&json, object);
            }
        }
        compare_with_golden(names[i], "yaml", (struct text){yaml.bytes, yaml.length}, arena);
        compare_with_golden(names[i], "json", (struct text){json.bytes, json.length}, arena);
        arena_destroy(arena);
    }
}

static void check_reads_back(const struct node *object, void (*write)(struct buffer *, const struct node *),
                             struct arena *arena) {
    struct buffer bytes;
    struct diagnostics diagnostics;
    struct file file = {0};
    struct reader_options options = {.limits = limits_default()};
    buffer_init(&bytes, arena);
    diagnostics_init(&diagnostics, arena);
    write(&bytes, object);
    reader_read_text("compiled", (struct text){bytes.bytes, bytes.length}, &options, arena, &file, &diagnostics);
    assert_int_equal(file.count, 1);
    assert_int_equal(diagnostics.count, 0);
    assert_true(node_equal(&file.documents[0].root, object));
}

static void what_is_written_reads_back_as_the_same_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena *arena = arena_create();
        struct config config = read_fixture(names[i], arena);
        for (size_t b = 0; b < config.count; b++) {
            const struct node *object = boundary_compile(&config.boundaries[b], arena);
            if (object) {
                check_reads_back(object, writer_yaml, arena);
                check_reads_back(object, writer_json, arena);
            }
        }
        arena_destroy(arena);
    }
}

static void an_object_says_its_kind_and_version(void **state) {
    (void)state;
    struct boundary boundary = {.policy = POLICY_STATIC, .namespace = "agents", .object_name = "out"};
    assert_string_equal(boundary_kind_word(&boundary), "CiliumNetworkPolicy");
    assert_string_equal(boundary_api_version(&boundary), "cilium.io/v2");
    boundary.policy = POLICY_PUBLIC_INTERNET;
    assert_string_equal(boundary_kind_word(&boundary), "NetworkPolicy");
    assert_string_equal(boundary_api_version(&boundary), "networking.k8s.io/v1");
    assert_string_equal(boundary_object(&boundary).name, "out");
    boundary.policy = POLICY_ABSENT;
    assert_null(boundary_kind_word(&boundary));
    assert_null(boundary_object(&boundary).kind);
    struct arena *arena = arena_create();
    assert_null(boundary_compile(&boundary, arena));
    arena_destroy(arena);
}

/* A grant's hosts meet another narrowing than the boundary's, and an empty list gives no host rule. */
static void host_rules_are_made_without_a_boundary(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    static const uint16_t ports[] = {443};
    struct narrowing narrowing = {.active = true, .has_ports = true, .ports = {ports, 1}};
    struct host host = {.entry = "a.example.com"};
    struct host_rules rules = {&host, 1, &narrowing, false};
    struct node egress = translate_host_rules(&rules, arena);
    assert_int_equal(egress.count, 2);
    struct buffer text;
    buffer_init(&text, arena);
    writer_json_compact(&text, &egress.items[1]);
    assert_non_null(strstr(buffer_string(&text), "a.example.com"));
    assert_non_null(strstr(buffer_string(&text), "443"));
    rules.host_count = 0;
    assert_int_equal(translate_host_rules(&rules, arena).count, 1);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_config_compiles_to_its_pinned_bytes),
        cmocka_unit_test(what_is_written_reads_back_as_the_same_values),
        cmocka_unit_test(an_object_says_its_kind_and_version),
        cmocka_unit_test(host_rules_are_made_without_a_boundary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
