// The fence, judged by an evaluator of CEL that is not the API server's (README.md beside this file).
//
//     node cel.mjs EGRESSC [NAME...]
//
// Compiles the fence of each config in fixtures/fence/configs, and holds against it each write in fixtures/fence/refused
// and accepted, the object of each grant in fixtures/fence/grants, and that of each golden that `compile --grant` has.
// With names, those fixtures only. The exit status is 77 where the evaluator is not installed (`npm ci`).
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const fixtures = join(root, "fixtures", "fence");
if (!existsSync(join(here, "node_modules"))) {
  console.log("skipped: the evaluator is not installed; run `npm ci` in tests/fence");
  process.exit(77);
}
const { celEnv, parse, plan, isCelError } = await import("@bufbuild/cel");
const { strings } = await import("@bufbuild/cel/ext");
const { parse: parseYaml } = await import("yaml");

const [, , program, ...only] = process.argv;
const environment = celEnv({ funcs: strings });

// ---- values and expressions ----

function toCel(value) {
  if (Array.isArray(value)) return value.map(toCel);
  if (value !== null && typeof value === "object")
    return new Map(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
  return Number.isInteger(value) ? BigInt(value) : value;
}

const plans = new Map();

// The value, or an Error.
function evaluate(expression, bindings) {
  if (!plans.has(expression)) plans.set(expression, plan(environment, parse(expression)));
  try {
    const value = plans.get(expression)(bindings);
    return isCelError(value) ? new Error(String(value.message)) : value;
  } catch (problem) {
    return problem;
  }
}

// ---- the API server's part: which policies see a request, and what they say ----

function selects(policy, write) {
  const constraints = policy.spec.matchConstraints;
  const labels = constraints.namespaceSelector.matchLabels;
  return (
    labels["kubernetes.io/metadata.name"] === write.namespace &&
    Object.keys(labels).length === 1 &&
    constraints.resourceRules.some(
      (rule) =>
        rule.apiGroups.includes("cilium.io") &&
        rule.apiVersions.includes("v2") &&
        rule.resources.includes("ciliumnetworkpolicies") &&
        rule.operations.includes(write.operation) &&
        rule.scope === "Namespaced",
    )
  );
}

// The reasons why one policy with its binding refuses; `errors` gets what could not be evaluated.
function refusals(policy, binding, write, errors) {
  if (!selects(policy, write)) return [];
  const request = {
    operation: write.operation,
    userInfo: { username: write.user, groups: [] },
    // A deletecollection gives no name.
    name: write.operation === "DELETE" ? "" : (write.object?.metadata?.name ?? ""),
    namespace: write.namespace,
  };
  const bindings = {
    request: toCel(request),
    object: toCel(write.operation === "DELETE" ? null : write.object),
    oldObject: toCel(write.operation === "CREATE" ? null : write.oldObject),
  };
  for (const condition of policy.spec.matchConditions) {
    const value = evaluate(condition.expression, bindings);
    if (typeof value !== "boolean") errors.push(`${condition.name}: ${value}`);
    if (value === false) return [];
  }
  if (binding.spec.paramRef) {
    if (!write.params) return binding.spec.paramRef.parameterNotFoundAction === "Deny" ? ["the ConfigMap is missing"] : [];
    bindings.params = toCel(write.params);
  }
  bindings.variables = new Map();
  // A deletion has no object, and no validation may look at variables then.
  for (const variable of write.operation === "DELETE" ? [] : policy.spec.variables) {
    const value = evaluate(variable.expression, bindings);
    if (value instanceof Error) errors.push(`variables.${variable.name}: ${value.message}`);
    else bindings.variables.set(variable.name, value);
  }
  const reasons = [];
  for (const validation of policy.spec.validations) {
    const value = evaluate(validation.expression, bindings);
    if (typeof value !== "boolean") errors.push(`${validation.message}: ${value}`);
    if (value !== true) reasons.push(validation.message);
  }
  return reasons;
}

// ---- fences ----

function run(...options) {
  return execFileSync(program, options, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

// Objects in JSON that follow one another: each ends with a brace in the first column.
function readObjects(text) {
  return text
    .split(/^\}\n/m)
    .filter((part) => part.trim())
    .map((part) => JSON.parse(part + "}"));
}

function compileFence(config) {
  const objects = readObjects(run("compile", "--config", config, "--fence", "--format", "json"));
  const of = (kind) => objects.filter((object) => object.kind === kind);
  const policies = of("ValidatingAdmissionPolicy").map((policy) => ({
    policy,
    binding: of("ValidatingAdmissionPolicyBinding").find((it) => it.spec.policyName === policy.metadata.name),
  }));
  return { policies, identity: parseYaml(readFileSync(join(root, config), "utf8")).egress.perSandbox.hostIdentity };
}

const fences = new Map();
function fenceOf(config) {
  if (!fences.has(config)) fences.set(config, compileFence(config));
  return fences.get(config);
}

function judge(fence, write) {
  const errors = [];
  const reasons = fence.policies.flatMap(({ policy, binding }) => refusals(policy, binding, write, errors));
  return { reasons, errors };
}

// ---- fixtures ----

function readFixture(path) {
  const text = readFileSync(path, "utf8");
  const header = {};
  for (const [, key, value] of text.matchAll(/^# (\w+): (.*)$/gm)) header[key] = value;
  return { text, header };
}

function readParams(name) {
  return !name || name === "missing"
    ? undefined
    : parseYaml(readFileSync(join(fixtures, "permitted", `${name}.yaml`), "utf8"));
}

// A request; an update changes, and a deletion removes, the object of the file or a grant of the same name.
function writeOf(fence, header, object) {
  return {
    operation: header.operation ?? "CREATE",
    user: header.user ?? fence.identity,
    namespace: object.metadata.namespace,
    object,
    oldObject: object,
    params: readParams(header.permitted),
  };
}

const configOf = (header) => join("fixtures", "fence", "configs", `${header.config}.yaml`);
const names = (folder) => readdirSync(join(fixtures, folder)).sort();
const wanted = (name) => only.length === 0 || only.includes(basename(name, ".yaml"));

let passed = 0;
let failed = 0;
const raised = new Set();

function settle(name, fault) {
  if (fault) console.log(`FAILED ${name}: ${fault}`);
  passed += fault ? 0 : 1;
  failed += fault ? 1 : 0;
}

function expectRefused(name) {
  const { text, header } = readFixture(join(fixtures, "refused", name));
  const fence = fenceOf(configOf(header));
  const { reasons, errors } = judge(fence, writeOf(fence, header, parseYaml(text)));
  reasons.forEach((reason) => raised.add(reason));
  if (errors.length) settle(name, `errors instead of an answer: ${errors.join("; ")}`);
  else if (!reasons.includes(header.reason)) settle(name, `not refused because ${header.reason}, but: ${reasons.join("; ") || "let through"}`);
  else settle(name);
}

function expectAccepted(name, fence, write) {
  const { reasons, errors } = judge(fence, write);
  settle(name, [...errors, ...reasons].join("; "));
}

for (const name of names("refused").filter(wanted)) expectRefused(name);
for (const name of names("accepted").filter(wanted)) {
  const { text, header } = readFixture(join(fixtures, "accepted", name));
  const fence = fenceOf(configOf(header));
  expectAccepted(name, fence, writeOf(fence, header, parseYaml(text)));
}
for (const name of names("grants").filter(wanted)) {
  const { header } = readFixture(join(fixtures, "grants", name));
  const grant = join("fixtures", "fence", "grants", name);
  const [object] = readObjects(run("compile", "--config", configOf(header), "--grant", grant, "--format", "json"));
  const fence = fenceOf(configOf(header));
  for (const operation of ["CREATE", "UPDATE", "DELETE"])
    expectAccepted(`${name}, ${operation}`, fence, writeOf(fence, { ...header, operation }, object));
}

// ---- the goldens of grants: the config of each, with an identity where it names none ----

function withIdentity(config, folder) {
  const text = readFileSync(join(root, config), "utf8");
  if (/^\s*hostIdentity:/m.test(text)) return config;
  const changed = text.replace(/^( *)perSandbox:\n( *)/m, "$1perSandbox:\n$2hostIdentity: grant-writer\n$2");
  const path = join(folder, config.replaceAll("/", "_"));
  writeFileSync(path, changed);
  return path;
}

function compileGolden(line, folder) {
  const words = line.split(/\s+/).slice(3);
  const config = words[words.indexOf("--config") + 1];
  const path = withIdentity(config, folder);
  const objects = readObjects(run("compile", ...words.filter((word, at) => word !== "--format" && words[at - 1] !== "--format"), "--format", "json"));
  const input = words.indexOf("--input");
  const params = input < 0 ? undefined : words[input + 1];
  return { path, objects, params };
}

function judgeGoldens(folder) {
  const lines = readFileSync(join(root, "tests", "golden", "cases"), "utf8").split("\n");
  let count = 0;
  for (const line of lines.filter((it) => /^\S+\s+0\s+compile\s.*--grant\s/.test(it) && !it.includes(" < "))) {
    if (/--boundary|--output-dir/.test(line)) continue;
    const { path, objects } = compileGolden(line, folder);
    const fence = compileFenceAt(path);
    for (const object of objects) {
      const { reasons, errors } = judge(fence, { ...writeOf(fence, {}, object), params: undefined });
      settle(`golden ${line.split(/\s+/)[0]}`, [...errors, ...reasons].join("; "));
      count++;
    }
  }
  return count;
}

// The companion asks for a ConfigMap that the goldens do not always have; what it asks is judged above.
function compileFenceAt(path) {
  const objects = readObjects(run("compile", "--config", path, "--fence", "--format", "json"));
  const policy = objects.find((object) => object.kind === "ValidatingAdmissionPolicy");
  const binding = objects.find((object) => object.kind === "ValidatingAdmissionPolicyBinding");
  const text = readFileSync(path.startsWith("/") ? path : join(root, path), "utf8");
  return { policies: [{ policy, binding }], identity: parseYaml(text).egress.perSandbox.hostIdentity };
}

if (only.length === 0) {
  const folder = mkdtempSync(join(tmpdir(), "egressc-fence-"));
  try {
    judgeGoldens(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  // Each reason that a fence can give is given for some fixture.
  for (const { policies } of fences.values())
    for (const { policy } of policies)
      for (const { message } of policy.spec.validations)
        if (!raised.has(message)) settle(policy.metadata.name, `no fixture is refused because ${message}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
