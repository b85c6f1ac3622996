/* The client over a table of answers: spec/snapshot.md, "Reads". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "fake.h"

#define POLICIES "/apis/networking.k8s.io/v1/networkpolicies?limit=500"
#define LIST(more, items)                                                                                              \
    "{\"kind\":\"NetworkPolicyList\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"       \
    "\"7\"" more "},\"items\":[" items "]}"
#define ITEM(name) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"agents\",\"managedFields\":[{}]},\"spec\":{}}"
#define KEPT(name) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"agents\"},\"spec\":{}}"
#define FILE_OF(items)                                                                                                 \
    "{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"NetworkPolicyList\",\"items\":[\n" items                      \
    "],\"metadata\":{\"resourceVersion\":\"7\"}}\n"
#define STATUS(message) "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"" message "\"}"
#define END                                                                                                            \
    { .path = NULL }

/* Fetches policies under these answers, and expects that and no file where they were not read. */
static void expect_policies(const struct fake_answer *answers, enum fetch_status status, const char *reason) {
    struct fake fake;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, status, reason);
    assert_int_equal(fake_entries(fake.output), status == FETCH_READ ? 1 : 0);
    fake_close(&fake);
}

static void pages_are_joined_and_pruned(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .status = 200, .body = LIST(",\"continue\":\"a/b=\"", ITEM("one") "," ITEM("two"))},
        {.path = POLICIES "&continue=a%2Fb%3D", .status = 200, .body = LIST("", ITEM("three"))},
        END};
    (void)state;
    for (size_t piece = 0; piece < 60; piece++) {
        struct fake fake;
        fake_open(&fake, answers);
        fake.piece = piece;
        struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
        fake_expect(&fetch, FETCH_READ, NULL);
        assert_int_equal(fetch.items, 3);
        assert_string_equal(fetch.resource_version, "7");
        assert_string_equal(fake_read(&fake, "list.json"),
                            FILE_OF(KEPT("one") ",\n" KEPT("two") ",\n" KEPT("three") "\n"));
        fake_close(&fake);
    }
}

static void an_empty_list_is_read(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES,
         .status = 200,
         .body = "{\"kind\":\"NetworkPolicyList\",\"apiVersion\":"
                 "\"networking.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
                 "\"items\":null}"},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_string_equal(fake_read(&fake, "list.json"), FILE_OF(""));
    fake_close(&fake);
}

static void a_namespace_and_the_token_are_sent(void **state) {
    static const struct fake_answer answers[] = {
        {.path = "/apis/networking.k8s.io/v1/namespaces/agents/networkpolicies?limit=500",
         .status = 200,
         .body = LIST("", "")},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", "agents", NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_string_equal(fake.authorization, "Bearer the-token-of-tests");
    fake_close(&fake);
}

static void an_expired_token_restarts_the_list(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .times = 1, .status = 200, .body = LIST(",\"continue\":\"x\"", ITEM("old"))},
        {.path = POLICIES "&continue=x", .times = 1, .status = 410, .body = STATUS("too old")},
        {.path = POLICIES, .status = 200, .body = LIST("", ITEM("new"))},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_int_equal(fetch.items, 1);
    assert_string_equal(fake_read(&fake, "list.json"), FILE_OF(KEPT("new") "\n"));
    fake_close(&fake);
}

static void a_list_that_expires_each_time_fails(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .status = 200, .body = LIST(",\"continue\":\"x\"", "")},
        {.path = POLICIES "&continue=x", .status = 410, .body = STATUS("too old")},
        END};
    (void)state;
    expect_policies(answers, FETCH_FAILED, "the list changes faster than it can be read (status 410 again and again)");
}

static void statuses_tell_apart_what_may_not_be_read(void **state) {
    static const struct {
        long status;
        const char *body, *type;
        enum fetch_status result;
        const char *reason;
    } cases[] = {
        {401, STATUS("Unauthorized"), NULL, FETCH_FORBIDDEN, "Unauthorized"},
        {403, STATUS("User \\\"x\\\" cannot list"), NULL, FETCH_FORBIDDEN, "User \"x\" cannot list"},
        {404, "404 page not found\n", "text/plain", FETCH_NOT_SERVED, "404 page not found"},
        {302, "", NULL, FETCH_FAILED, "status 302: a redirect, which is not followed"},
        {501, STATUS("no"), NULL, FETCH_FAILED, "status 501: no"},
        {403, "<html>", "text/html", FETCH_FORBIDDEN, "status 403"},
        {403, STATUS("Bearer the-token-of-tests\\nis bad"), NULL, FETCH_FORBIDDEN, "Bearer (withheld) is bad"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct fake_answer answers[] = {
            {.path = POLICIES, .status = cases[i].status, .body = cases[i].body, .type = cases[i].type}, END};
        expect_policies(answers, cases[i].result, cases[i].reason);
    }
}

static void what_is_no_such_list_fails(void **state) {
    static const struct {
        const char *body, *type, *reason;
    } cases[] = {
        {LIST("", ITEM("a")), "text/html", "the answer is text/html, not application/json"},
        {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[]}", NULL,
         "the answer is no NetworkPolicyList of networking.k8s.io/v1"},
        {STATUS("fine"), NULL, "the answer is no NetworkPolicyList of networking.k8s.io/v1"},
        {"{\"kind\":\"NetworkPolicyList\",\"items\":[{", NULL, "the answer is malformed: the text ends too early"},
        {"[]", NULL, "the answer is malformed: it is no JSON object"},
        {"", NULL, "the answer is malformed: the text ends too early"},
        {LIST("", "7"), NULL, "the answer is malformed: an item is no object"},
        {"{\"items\":{}}", NULL, "the answer is malformed: `items` is no list"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct fake_answer answers[] = {
            {.path = POLICIES, .status = 200, .body = cases[i].body, .type = cases[i].type}, END};
        expect_policies(answers, FETCH_FAILED, cases[i].reason);
    }
}

static void what_may_pass_is_tried_again(void **state) {
    static const struct fake_answer failures[] = {
        {.path = POLICIES, .times = 1, .status = 429, .retry_after_ms = 3000},
        {.path = POLICIES, .times = 1, .status = 500},
        {.path = POLICIES, .times = 1, .status = 503},
        {.path = POLICIES, .times = 1, .result = TRANSPORT_UNREACHABLE},
        {.path = POLICIES, .times = 1, .status = 200, .result = TRANSPORT_BROKEN, .body = "{\"items\":[{\"metadata\""},
        {.path = POLICIES, .times = 1, .result = TRANSPORT_TIMED_OUT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        const struct fake_answer answers[] = {
            failures[i], {.path = POLICIES, .status = 200, .body = LIST("", ITEM("a"))}, END};
        struct fake fake;
        fake_open(&fake, answers);
        struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
        fake_expect(&fetch, FETCH_READ, NULL);
        assert_string_equal(fake_read(&fake, "list.json"), FILE_OF(KEPT("a") "\n"));
        assert_int_equal(fake.slept_ms, failures[i].retry_after_ms ? 3000 : 200);
        fake_close(&fake);
    }
}

static void a_page_that_broke_off_leaves_nothing_in_the_file(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .status = 200, .body = LIST(",\"continue\":\"x\"", ITEM("one"))},
        {.path = POLICIES "&continue=x",
         .times = 1,
         .status = 200,
         .result = TRANSPORT_BROKEN,
         .body = "{\"items\":[" ITEM("two") "," ITEM("half")},
        {.path = POLICIES "&continue=x", .status = 200, .body = LIST("", ITEM("two"))},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_string_equal(fake_read(&fake, "list.json"), FILE_OF(KEPT("one") ",\n" KEPT("two") "\n"));
    fake_close(&fake);
}

static void retries_end(void **state) {
    static const struct fake_answer answers[] = {{.path = POLICIES, .status = 503, .body = STATUS("busy")}, END};
    struct fake fake;
    struct client_limits limits = client_limits_default();
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_FAILED, "status 503: busy");
    assert_int_equal(fake.url_count, limits.retries + 1);
    fake_close(&fake);

    limits.budget = 2;
    fake_open(&fake, answers);
    fetch = fake_fetch(&fake, "networkpolicies", NULL, &limits);
    assert_int_equal(fake.url_count, 3);
    fake_close(&fake);
}

static void what_cannot_pass_is_tried_once(void **state) {
    static const struct {
        enum transport_result result;
        const char *reason;
    } cases[] = {
        {TRANSPORT_UNTRUSTED, "TLS failed: certificate has expired"},
        {TRANSPORT_TOO_LARGE, "the answer is larger than 4294967296 bytes, the most that is taken (--answer-limit)"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct fake_answer answers[] = {
            {.path = POLICIES, .result = cases[i].result, .error = "certificate has expired"}, END};
        struct fake fake;
        fake_open(&fake, answers);
        struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
        fake_expect(&fetch, FETCH_FAILED, cases[i].reason);
        assert_int_equal(fake.url_count, 1);
        fake_close(&fake);
    }
}

static void the_run_has_an_end(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .status = 200, .body = LIST(",\"continue\":\"x\"", ""), .spends_ms = 700},
        {.path = POLICIES "&continue=x", .status = 200, .body = LIST(",\"continue\":\"y\"", ""), .spends_ms = 700},
        {.path = POLICIES "&continue=y", .status = 200, .body = LIST(",\"continue\":\"x\"", ""), .spends_ms = 700},
        END};
    struct fake fake;
    struct client_limits limits = client_limits_default();
    (void)state;
    limits.run_ms = 5000;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, &limits);
    fake_expect(&fetch, FETCH_FAILED, "the run had no time left");
    assert_int_equal(fake.url_count, 8);
    fake_close(&fake);
}

static void a_server_that_asks_for_more_time_than_there_is_fails_at_once(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES, .status = 429, .retry_after_ms = 30000, .body = STATUS("slow down")}, END};
    struct fake fake;
    struct client_limits limits = client_limits_default();
    (void)state;
    limits.run_ms = 5000;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, &limits);
    fake_expect(&fetch, FETCH_FAILED, "status 429: slow down");
    assert_int_equal(fake.slept_ms, 0);
    fake_close(&fake);
}

static void a_list_that_continues_with_itself_fails(void **state) {
    static const struct fake_answer answers[] = {
        {.path = POLICIES "*", .status = 200, .body = LIST(",\"continue\":\"x\"", "")}, END};
    (void)state;
    expect_policies(answers, FETCH_FAILED, "the answer continues with itself");
}

static void an_answer_has_a_bound(void **state) {
    static const struct fake_answer answers[] = {{.path = POLICIES, .status = 200, .body = LIST("", ITEM("a"))}, END};
    struct fake fake;
    struct client_limits limits = client_limits_default();
    (void)state;
    limits.page_bytes = 50;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, &limits);
    fake_expect(&fetch, FETCH_FAILED, "the answer is larger than 50 bytes, the most that is taken (--answer-limit)");
    fake_close(&fake);
}

static void versions_are_tried_in_turn(void **state) {
    static const struct fake_answer answers[] = {
        {.path = "/apis/cilium.io/v2alpha1/ciliumcidrgroups?limit=500",
         .status = 200,
         .body = "{\"apiVersion\":\"cilium.io/v2alpha1\",\"items\":[{\"apiVersion\":\"cilium.io/v2alpha1\","
                 "\"kind\":\"CiliumCIDRGroup\",\"metadata\":{\"name\":\"g\"}}],\"kind\":\"CiliumCIDRGroupList\","
                 "\"metadata\":{\"resourceVersion\":\"1\"}}"},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "ciliumcidrgroups", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_true(text_is(fetch.version, "v2alpha1"));
    assert_int_equal(fetch.items, 1);
    fake_close(&fake);
}

static void one_config_map_is_read_by_its_name(void **state) {
    static const struct fake_answer answers[] = {
        {.path = "/api/v1/namespaces/kube-system/configmaps/cilium-config",
         .status = 200,
         .body = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cilium-config\","
                 "\"annotations\":{\"x\":\"y\"}},\"data\":{\"a\":\"b\"},\"binaryData\":{\"c\":\"ZA==\"}}"},
        END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "cilium-config", "kube-system", NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_int_equal(fetch.items, 1);
    assert_string_equal(fake_read(&fake, "list.json"),
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMapList\",\"items\":[\n"
                        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cilium-config\","
                        "\"annotations\":{}},\"data\":{\"a\":\"b\"}}\n]}\n");
    fake_close(&fake);
}

static void a_config_map_that_is_not_there_was_read(void **state) {
    static const struct fake_answer answers[] = {
        {.path = "/api/*", .status = 404, .body = STATUS("configmaps \\\"cilium-config\\\" not found")}, END};
    struct fake fake;
    (void)state;
    fake_open(&fake, answers);
    struct fetch fetch = fake_fetch(&fake, "cilium-config", "kube-system", NULL);
    fake_expect(&fetch, FETCH_READ, "there is no cilium-config");
    assert_int_equal(fetch.items, 0);
    fake_close(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_joined_and_pruned),
        cmocka_unit_test(an_empty_list_is_read),
        cmocka_unit_test(a_namespace_and_the_token_are_sent),
        cmocka_unit_test(an_expired_token_restarts_the_list),
        cmocka_unit_test(a_list_that_expires_each_time_fails),
        cmocka_unit_test(statuses_tell_apart_what_may_not_be_read),
        cmocka_unit_test(what_is_no_such_list_fails),
        cmocka_unit_test(what_may_pass_is_tried_again),
        cmocka_unit_test(a_page_that_broke_off_leaves_nothing_in_the_file),
        cmocka_unit_test(retries_end),
        cmocka_unit_test(what_cannot_pass_is_tried_once),
        cmocka_unit_test(the_run_has_an_end),
        cmocka_unit_test(a_server_that_asks_for_more_time_than_there_is_fails_at_once),
        cmocka_unit_test(a_list_that_continues_with_itself_fails),
        cmocka_unit_test(an_answer_has_a_bound),
        cmocka_unit_test(versions_are_tried_in_turn),
        cmocka_unit_test(one_config_map_is_read_by_its_name),
        cmocka_unit_test(a_config_map_that_is_not_there_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
