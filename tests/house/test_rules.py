#!/usr/bin/env python3
"""The house tests themselves: each finds what it is for, and leaves alone what is right."""
import unittest

import banned_functions
import codes
import examples
import include_order
import mutable_data
import sizes
import source


class IncludeOrder(unittest.TestCase):
    def faults(self, path, *lines):
        return include_order.faults_of(path, "\n".join(lines))

    def test_a_folder_may_include_those_before_it(self):
        self.assertEqual(self.faults("kube/policy.c", '#include "kube/policy.h"', '#include "base/arena.h"'), [])

    def test_a_folder_after_it_is_a_fault(self):
        self.assertEqual(len(self.faults("kube/policy.c", '#include "analyzer/decision.h"')), 1)

    def test_a_line_is_named(self):
        self.assertIn("base/text.c:2: ", self.faults("base/text.c", "/* one */", '#include "ir/set.h"')[0])

    def test_document_knows_nothing_of_grammar(self):
        self.assertEqual(len(self.faults("document/node.c", '#include "grammar/host.h"')), 1)

    def test_a_library_has_one_place(self):
        self.assertEqual(self.faults("document/reader_yaml.c", "#include <yaml.h>"), [])
        self.assertEqual(len(self.faults("document/node.c", "#include <yaml.h>")), 1)
        self.assertEqual(len(self.faults("kube/policy.c", "#include <pcre2.h>")), 1)

    def test_a_header_is_spelled_from_the_root(self):
        self.assertEqual(len(self.faults("base/text.c", '#include "arena.h"')), 1)

    def test_an_include_in_a_comment_is_none(self):
        self.assertEqual(self.faults("base/text.c", '/*\n#include "ir/set.h"\n*/'), [])

    def test_sockets_are_closed(self):
        self.assertEqual(len(self.faults("document/inputs.c", "#include <sys/socket.h>")), 1)

    def test_the_online_module_knows_the_config_and_nothing_of_decisions(self):
        self.assertEqual(self.faults("online/plan.c", '#include "compiler/config.h"', '#include "base/text.h"'), [])
        self.assertEqual(len(self.faults("online/plan.c", '#include "kube/object.h"')), 1)
        self.assertEqual(len(self.faults("online/plan.c", '#include "cli/options.h"')), 1)
        self.assertEqual(len(self.faults("cli/run.c", '#include "online/plan.h"')), 1)

    def test_one_file_knows_curl(self):
        self.assertEqual(self.faults("online/transport_curl.c", "#include <curl/curl.h>"), [])
        self.assertEqual(len(self.faults("online/client.c", "#include <curl/curl.h>")), 1)


class Sizes(unittest.TestCase):
    def test_the_lines_of_a_function_are_counted_from_its_signature_to_its_brace(self):
        text = "static int add(int a,\n               int b) {\n    return a + b;\n}\n"
        self.assertEqual(list(sizes.functions(text)), [("add", 1, 4)])

    def test_tables_and_types_are_no_functions(self):
        text = "static const int table[] = {\n    1,\n};\nstruct pair {\n    int a;\n};\nint f(void);\n"
        self.assertEqual(list(sizes.functions(text)), [])

    def test_braces_in_strings_and_comments_do_not_count(self):
        text = 'void f(void) {\n    /*\n}\n*/\n    puts("}");\n}\nvoid g(void) {\n}\n'
        self.assertEqual(list(sizes.functions(text)), [("f", 1, 6), ("g", 7, 2)])

    def test_a_function_of_101_lines_is_too_long(self):
        body = "    x();\n"
        self.assertEqual(sizes.faults_of("a.c", "void f(void) {\n" + body * 98 + "}\n"), [])
        self.assertEqual(len(sizes.faults_of("a.c", "void f(void) {\n" + body * 99 + "}\n")), 1)

    def test_a_file_of_551_lines_is_too_long(self):
        self.assertEqual(sizes.faults_of("a.c", "\n" * 550), [])
        self.assertEqual(len(sizes.faults_of("a.c", "\n" * 551)), 1)


class Codes(unittest.TestCase):
    def test_what_is_in_step_is_no_fault(self):
        self.assertEqual(codes.faults_of(["a", "b"], ["a", "b"], ["a"], {"b": "golden/b.txt"}), [])

    def test_a_code_without_a_page_or_an_input_is_a_fault(self):
        self.assertEqual(len(codes.faults_of(["a", "b"], ["a"], ["a", "b"], {})), 1)
        self.assertEqual(len(codes.faults_of(["a", "b"], ["a", "b"], ["a"], {})), 1)

    def test_what_names_no_code_is_a_fault(self):
        self.assertEqual(len(codes.faults_of(["a"], ["a", "b"], ["a"], {})), 1)
        self.assertEqual(len(codes.faults_of(["a"], ["a"], ["a", "b"], {})), 1)
        self.assertEqual(len(codes.faults_of(["a"], ["a"], ["a"], {"b": "golden/b.txt"})), 1)

    def test_every_format_shows_its_codes(self):
        shown = {
            "text": "a.yaml:3:1: error: `x` is no port [some-code]\n",
            "text without a place": "warning: nothing was read [some-code]\n",
            "a subject": "    ingress refuse [some-code]: 2 not selecting\n",
            "json": '      "code": "some-code",\n',
            "a refusal in json": '            "refusal": "some-code",\n',
            "sarif": '          "ruleId": "some-code",\n',
            "junit": '    <testcase classname="some-code" name="x">\n',
            "github": "::notice file=a.yaml,line=3,title=some-code::text\n",
            "github without a place": "::error title=some-code::text\n",
            "markdown": "- **note** `some-code` `a.yaml:3`: text\n",
        }
        for name, text in shown.items():
            with self.subTest(name):
                self.assertEqual(codes.shown_in(text), {"some-code"})

    def test_other_words_are_no_codes(self):
        for text in ("port: [http]\n", '  "code": null,\n', '<testcase classname="egressc" name="x"/>', "    at spec.egress[0]\n"):
            self.assertEqual(codes.shown_in(text), set())

    def test_rows_are_the_lines_that_are_no_comments(self):
        self.assertEqual(codes.rows_of("# a 1:1 -\n\nb-c 12:3 spec.x\n"), ["b-c"])


class BannedFunctions(unittest.TestCase):
    def test_a_call_is_found(self):
        self.assertEqual(len(banned_functions.faults_of("base/text.c", "n = atoi(text);")), 1)

    def test_names_that_only_end_alike_are_not(self):
        self.assertEqual(banned_functions.faults_of("base/text.c", "buffer_sprintf(b); a->time(); a.connect();"), [])

    def test_tests_may_have_processes_but_no_luck(self):
        self.assertEqual(banned_functions.faults_of("tests/base/test_arena.c", "fork();"), [])
        self.assertEqual(len(banned_functions.faults_of("tests/base/test_arena.c", "rand();")), 1)

    def test_comments_and_strings_are_not(self):
        self.assertEqual(banned_functions.faults_of("base/text.c", '/* not atoi(x) */ puts("atoi(x)");'), [])


class MutableData(unittest.TestCase):
    HEAD = "text.c.o:     file format elf64-x86-64\n\n"

    def test_data_and_zeroed_data_are_found(self):
        for section in (".data", ".bss", ".data.counter", "*COM*", ".tbss"):
            line = f"0000000000000000 l     O {section}\t0000000000000004 counter\n"
            self.assertEqual(len(mutable_data.faults_of("x.a", self.HEAD + line)), 1, section)

    def test_constants_are_not(self):
        for section in (".rodata", ".data.rel.ro.local", ".data.rel.ro"):
            line = f"0000000000000000 g     O {section}\t0000000000000040 table\n"
            self.assertEqual(mutable_data.faults_of("x.a", self.HEAD + line), [], section)

    def test_sections_are_not(self):
        line = "0000000000000000 l    d  .data\t0000000000000000 .data\n"
        self.assertEqual(mutable_data.faults_of("x.a", self.HEAD + line), [])


class Examples(unittest.TestCase):
    TEXT = "# Title\n```console\n$ true\n$ printf 'a\\nb\\n'\na\nb\n```\n```yaml\n$ not one\n```\n"

    def test_commands_and_what_they_print_are_taken_from_console_blocks(self):
        self.assertEqual(examples.examples_of(self.TEXT), [(3, "true", ""), (4, "printf 'a\\nb\\n'", "a\nb\n")])

    def test_a_command_may_go_on_in_the_next_line(self):
        text = "```console\n$ echo a \\\n    b\na b\n```\n"
        self.assertEqual(examples.examples_of(text), [(2, "echo a \\\n    b", "a b\n")])


class Source(unittest.TestCase):
    def test_bare_text_keeps_its_lines(self):
        self.assertEqual(source.bare('a /* b\nc */ "d" // e\nf').count("\n"), 2)


if __name__ == "__main__":
    unittest.main()
