/* Other credentials while a run lasts: when they are asked for, and what is sent then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "fake.h"

#define POLICIES "/apis/networking.k8s.io/v1/networkpolicies?limit=500"
#define EMPTY(more)                                                                                                    \
    "{\"kind\":\"NetworkPolicyList\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{" more "},\"items\":[]}"
#define STATUS(message) "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"" message "\"}"
#define END                                                                                                            \
    { .path = NULL }

static const char *give_token(void *context, struct access *access, struct arena *arena) {
    struct fake *fake = context;
    access->token = arena_format(arena, "token-%u", ++fake->renewals);
    return NULL;
}

static const char *give_the_same(void *context, struct access *access, struct arena *arena) {
    struct fake *fake = context;
    fake->renewals++;
    access->token = arena_format(arena, "%s", access->token);
    return NULL;
}

static const char *give_certificate(void *context, struct access *access, struct arena *arena) {
    struct fake *fake = context;
    access->token = NULL;
    access->identity.certificate = text_of(arena_format(arena, "certificate-%u", ++fake->renewals));
    access->identity.key = text_of("key");
    access->expires_s = FAKE_DAWN_S + (int64_t)fake->now_ms / 1000 + 60;
    return NULL;
}

static const char *give_nothing(void *context, struct access *access, struct arena *arena) {
    struct fake *fake = context;
    (void)access, (void)arena;
    fake->renewals++;
    return "the plug-in x ended with status 1";
}

static const struct fake_answer refused_once[] = {
    {.path = POLICIES, .times = 1, .status = 401, .body = STATUS("Unauthorized")},
    {.path = POLICIES, .status = 200, .body = EMPTY("")},
    END};
static const struct fake_answer refused_always[] = {
    {.path = POLICIES, .status = 401, .body = STATUS("token-1 is not known")}, END};

/* Three pages, a minute each. */
static const struct fake_answer long_list[] = {
    {.path = POLICIES, .status = 200, .body = EMPTY("\"continue\":\"x\""), .spends_ms = 60000},
    {.path = POLICIES "&continue=x", .status = 200, .body = EMPTY("\"continue\":\"y\""), .spends_ms = 60000},
    {.path = POLICIES "&continue=y", .status = 200, .body = EMPTY(""), .spends_ms = 60000},
    END};

static void a_token_that_is_not_taken_any_more_is_renewed_once_a_request(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, refused_once);
    fake.renew = give_token;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_string_equal(fake.authorization, "Bearer token-1");
    assert_int_equal(fake.sessions, 1);
    fake_close(&fake);

    fake_open(&fake, refused_always);
    fake.renew = give_token;
    fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_FORBIDDEN, "(withheld) is not known");
    assert_int_equal(fake.renewals, 1);
    assert_int_equal(fake.url_count, 2);
    fake_close(&fake);
}

static void a_credential_that_was_refused_is_not_tried_again(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, refused_always);
    fake.renew = give_the_same;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    assert_int_equal(fetch.status, FETCH_FORBIDDEN);
    assert_int_equal(fake.renewals, 1);
    assert_int_equal(fake.url_count, 1);
    fake_close(&fake);
}

static void a_certificate_that_is_not_taken_any_more_is_renewed_with_its_connection(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, refused_once);
    fake.renew = give_certificate;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_string_equal(fake.certificate, "certificate-1");
    assert_string_equal(fake.authorization, "");
    assert_int_equal(fake.sessions, 2);
    fake_close(&fake);
}

static void what_expires_in_the_middle_of_a_list_is_renewed_before_the_next_request(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, long_list);
    fake.renew = give_certificate;
    fake.access.expires_s = FAKE_DAWN_S + 60;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_int_equal(fake.renewals, 2);
    assert_int_equal(fake.sessions, 3);
    assert_int_equal(fake.url_count, 3);
    assert_string_equal(fake.certificate, "certificate-2");
    fake_close(&fake);
}

static void what_has_expired_when_it_comes_is_used_and_not_asked_for_again(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, long_list);
    fake.renew = give_token; /* which leaves the time as it was */
    fake.access.expires_s = FAKE_DAWN_S;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_READ, NULL);
    assert_int_equal(fake.renewals, 1);
    assert_string_equal(fake.authorization, "Bearer token-1");
    fake_close(&fake);
}

static void what_has_expired_and_cannot_be_renewed_is_not_sent(void **state) {
    struct fake fake;
    (void)state;
    fake_open(&fake, long_list);
    fake.renew = give_nothing;
    fake.access.expires_s = FAKE_DAWN_S + 60;
    struct fetch fetch = fake_fetch(&fake, "networkpolicies", NULL, NULL);
    fake_expect(&fetch, FETCH_FAILED, "the credentials have expired: the plug-in x ended with status 1");
    assert_int_equal(fake.url_count, 1);
    fake_close(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_that_is_not_taken_any_more_is_renewed_once_a_request),
        cmocka_unit_test(a_credential_that_was_refused_is_not_tried_again),
        cmocka_unit_test(a_certificate_that_is_not_taken_any_more_is_renewed_with_its_connection),
        cmocka_unit_test(what_expires_in_the_middle_of_a_list_is_renewed_before_the_next_request),
        cmocka_unit_test(what_has_expired_when_it_comes_is_used_and_not_asked_for_again),
        cmocka_unit_test(what_has_expired_and_cannot_be_renewed_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
