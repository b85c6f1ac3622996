#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/cilium_label.h"

static void cilium_label_splits_source_and_key(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cilium_source source;
        const char *source_text, *key;
    } cases[] = {
        {"app", CILIUM_SOURCE_ANY, "any", "app"},
        {"any:app", CILIUM_SOURCE_ANY, "any", "app"},
        {"k8s:app", CILIUM_SOURCE_K8S, "k8s", "app"},
        {"k8s.app", CILIUM_SOURCE_ANY, "any", "k8s.app"},
        {"k8s:io.kubernetes.pod.namespace", CILIUM_SOURCE_K8S, "k8s", "io.kubernetes.pod.namespace"},
        {"k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name", CILIUM_SOURCE_K8S, "k8s",
         "io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name"},
        {"reserved:kube-apiserver", CILIUM_SOURCE_RESERVED, "reserved", "kube-apiserver"},
        {"cidr:10.0.0.0/8", CILIUM_SOURCE_CIDR, "cidr", "10.0.0.0/8"},
        {"cidrgroup:office", CILIUM_SOURCE_CIDRGROUP, "cidrgroup", "office"},
        {"fqdn:example.com", CILIUM_SOURCE_FQDN, "fqdn", "example.com"},
        {"node:zone", CILIUM_SOURCE_NODE, "node", "zone"},
        {"container:app", CILIUM_SOURCE_OTHER, "container", "app"},
        {"K8s:app", CILIUM_SOURCE_OTHER, "K8s", "app"},
        {"k8s:_app", CILIUM_SOURCE_K8S, "k8s", "_app"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cilium_label label;
        size_t offset = 99999;
        enum cilium_label_fault fault = cilium_label_parse(text_of(cases[i].text), &label, &offset);
        if (fault != CILIUM_LABEL_OK)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
        assert_int_equal(offset, 0);
        assert_int_equal(label.source, cases[i].source);
        assert_true(text_is(label.source_text, cases[i].source_text));
        assert_true(text_is(label.key, cases[i].key));
        assert_int_equal(label.has_source, strchr(cases[i].text, ':') != NULL);
    }
}

static void cilium_label_tells_the_first_fault_and_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cilium_label_fault fault;
        enum label_fault label_fault;
        size_t offset;
    } cases[] = {
        {"", CILIUM_LABEL_EMPTY, LABEL_OK, 0},
        {"k8s:io:app", CILIUM_LABEL_COLONS, LABEL_OK, 6},
        {"::", CILIUM_LABEL_COLONS, LABEL_OK, 1},
        {":app", CILIUM_LABEL_NO_SOURCE, LABEL_OK, 0},
        {":", CILIUM_LABEL_NO_SOURCE, LABEL_OK, 0},
        {"k8s-x:app", CILIUM_LABEL_SOURCE, LABEL_OK, 3},
        {" k8s:app", CILIUM_LABEL_SOURCE, LABEL_OK, 0},
        {"k8s:", CILIUM_LABEL_KEY, LABEL_END, 4},
        {"k8s:a b", CILIUM_LABEL_KEY, LABEL_BYTE, 5},
        {"k8s:app-", CILIUM_LABEL_KEY, LABEL_END, 7},
        {"a/b/c", CILIUM_LABEL_KEY, LABEL_SLASHES, 3},
        {"any:a/", CILIUM_LABEL_KEY, LABEL_NAME_EMPTY, 6},
        {"fqdn:*.example.com", CILIUM_LABEL_KEY, LABEL_BYTE, 5},
        {"k8s:Example.com/app", CILIUM_LABEL_KEY, LABEL_PREFIX, 4},
        {"K8S:example.com/app", CILIUM_LABEL_KEY, LABEL_PREFIX, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cilium_label label;
        size_t offset = 99999;
        enum cilium_label_fault fault = cilium_label_parse(text_of(cases[i].text), &label, &offset);
        if (fault != cases[i].fault || label.label_fault != cases[i].label_fault || offset != cases[i].offset)
            fail_msg("%s: fault %d, %d at %zu", cases[i].text, (int)fault, (int)label.label_fault, offset);
    }
}

static void cilium_label_source_counts_toward_the_length_of_a_name(void **state) {
    (void)state;
    char text[1024];
    struct cilium_label label;
    memset(text, 'q', sizeof text);
    assert_int_equal(cilium_label_parse((struct text){text, 59}, &label, NULL), CILIUM_LABEL_OK);
    assert_int_equal(cilium_label_parse((struct text){text, 60}, &label, NULL), CILIUM_LABEL_KEY);
    assert_int_equal(label.label_fault, LABEL_LONG);
    memcpy(text, "reserved:", 9);
    assert_int_equal(cilium_label_parse((struct text){text, 63}, &label, NULL), CILIUM_LABEL_OK);
    assert_int_equal(cilium_label_parse((struct text){text, 64}, &label, NULL), CILIUM_LABEL_KEY);
    assert_int_equal(cilium_label_parse((struct text){text, sizeof text}, &label, NULL), CILIUM_LABEL_KEY);
    assert_int_equal(label.label_fault, LABEL_LONG);
    /* With a prefix the name has its 63 bytes, and the prefix shares its 253 with the source. */
    memcpy(text, "k8s:a.b/q", 9);
    assert_int_equal(cilium_label_parse((struct text){text, 8 + 63}, &label, NULL), CILIUM_LABEL_OK);
    assert_int_equal(cilium_label_parse((struct text){text, 8 + 64}, &label, NULL), CILIUM_LABEL_KEY);
}

static void every_cilium_source_and_fault_has_a_text(void **state) {
    (void)state;
    for (int source = CILIUM_SOURCE_ANY; source <= CILIUM_SOURCE_OTHER; source++)
        assert_non_null(cilium_source_word((enum cilium_source)source));
    for (int fault = CILIUM_LABEL_OK; fault <= CILIUM_LABEL_KEY; fault++)
        assert_non_null(cilium_label_fault_text((enum cilium_label_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cilium_label_splits_source_and_key),
        cmocka_unit_test(cilium_label_tells_the_first_fault_and_its_place),
        cmocka_unit_test(cilium_label_source_counts_toward_the_length_of_a_name),
        cmocka_unit_test(every_cilium_source_and_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
