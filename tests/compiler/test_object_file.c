#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/object_file.h"

static void a_name_is_kind_namespace_and_name(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct object_name object = {"CiliumNetworkPolicy", "agents", "shell-egress"};
    assert_string_equal(object_file_name(arena, object, ".yaml"), "ciliumnetworkpolicy_agents_shell-egress.yaml");
    assert_string_equal(object_file_name(arena, object, ".json"), "ciliumnetworkpolicy_agents_shell-egress.json");
    object.namespace = NULL;
    assert_string_equal(object_file_name(arena, object, ".yaml"), "ciliumnetworkpolicy___shell-egress.yaml");
    arena_destroy(arena);
}

/* An object whose file name has `length` bytes. */
static struct object_name object_of_length(struct arena *arena, size_t length) {
    size_t fixed = strlen("networkpolicy_agents_.yaml");
    char *name = arena_alloc(arena, length - fixed + 1);
    memset(name, 'a', length - fixed);
    return (struct object_name){"NetworkPolicy", "agents", name};
}

static void a_name_of_255_bytes_is_kept(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    const char *name = object_file_name(arena, object_of_length(arena, 255), ".yaml");
    assert_int_equal(strlen(name), 255);
    assert_string_equal(name + 249, "a.yaml");
    arena_destroy(arena);
}

static void a_longer_name_ends_in_the_hash_of_the_whole(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct object_name object = object_of_length(arena, 256);
    const char *name = object_file_name(arena, object, ".yaml");
    const char *whole = arena_format(arena, "networkpolicy_agents_%s.yaml", object.name);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = whole; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    assert_int_equal(strlen(name), 255);
    assert_string_equal(name, arena_format(arena, "%.233s_%016" PRIx64 ".yaml", whole, hash));
    assert_true(object_file_name_matches(text_of(name), "NetworkPolicy"));
    arena_destroy(arena);
}

static bool matches_a_policy(const char *name) {
    return object_file_name_matches(text_of(name), "NetworkPolicy") ||
           object_file_name_matches(text_of(name), "CiliumNetworkPolicy");
}

static void only_names_of_that_form_match(void **state) {
    (void)state;
    static const char *const match[] = {"networkpolicy_agents_shell-egress.yaml", "ciliumnetworkpolicy_a_b.json",
                                        "networkpolicy___b.yaml"};
    static const char *const other[] = {"",
                                        "networkpolicy.yaml",
                                        "networkpolicy_.yaml",
                                        "networkpolicy_a.yaml",
                                        "networkpolicy_a_.yaml",
                                        "networkpolicy_a_b_c.yaml",
                                        "NetworkPolicy_a_b.yaml",
                                        "networkpolicy_a_b.yml",
                                        "networkpolicy_a_b",
                                        "configmap_a_b.yaml",
                                        ".networkpolicy_a_b.yaml"};
    for (size_t i = 0; i < sizeof match / sizeof *match; i++) {
        assert_true(matches_a_policy(match[i]));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (matches_a_policy(other[i])) {
            fail_msg("%s matches", other[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_kind_namespace_and_name),
        cmocka_unit_test(a_name_of_255_bytes_is_kept),
        cmocka_unit_test(a_longer_name_ends_in_the_hash_of_the_whole),
        cmocka_unit_test(only_names_of_that_form_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
