import { isUtf8 } from 'node:buffer';
import { sha256 } from '../crypto/digests.js';
import { canonicalJson, type JsonObject } from '../domain/audit/canonical-json.js';
import { type EvidenceKind, TEST_KINDS } from '../domain/evidence/evidence.js';
import { canonicalPolicy } from '../domain/policy/canonical-policy.js';
import { mergePolicies } from '../domain/policy/merge-policies.js';
import type {
  Freeze,
  ParsedPolicy,
  Policy,
  PolicyKey,
  PolicyProblem,
  PolicyState,
  PolicyValues,
  RequiredArtifact,
  RequiredCheck,
  RequiredEvidence,
} from '../domain/policy/policy.js';
import { DEFAULT_VALUES, POLICY_KEYS, replaceValues } from '../domain/policy/policy-fields.js';
import { listProblem, semanticProblems, schemaProblem } from './policy-problems.js';
import { validatePolicy } from './policy-validator.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';
import { type Place, pointerTo, readYamlDocument, ROOT, type YamlDocument } from './yaml-document.js';
import type { PolicySchema } from './policy-schema.js';

/** Parses `sdlc.yaml` into the policy of the repository, or into all problems of the file. */

/** Returns the SHA-256 of the policy's effect as canonical JSON, in lowercase hex. */
const policyDigest = (policy: Policy): string => sha256(canonicalJson(canonicalPolicy(policy) as JsonObject));

/** The maximum size of `sdlc.yaml`, in bytes. */
const MAX_POLICY_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
/** Characters that YAML does not allow (YAML 1.2.2 § 5.1), and a carriage return without a line feed. Editors show neither. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|\r(?!\n)|\p{Cs}|\uFEFF/u;

type DecodedSource =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: PolicyProblem };

/** Decodes UTF-8. Rejects a file that is too large or has invisible characters. Skips a byte order mark at the start. */
function decodePolicySource(source: string | Uint8Array): DecodedSource {
  const size = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (size > MAX_POLICY_BYTES)
    return rejected(null, null, `The file has ${size} bytes; at most ${MAX_POLICY_BYTES} are allowed.`);
  if (typeof source !== 'string' && !isUtf8(source)) return rejected(brokenLine(source), null, encodingProblem(source));
  const text = (typeof source === 'string' ? source : Buffer.from(source).toString('utf8')).replace(/^\uFEFF/, '');
  const at = text.search(INVISIBLE);
  if (at === -1) return { ok: true, text };
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return rejected(line, column, invisibleProblem(text.charCodeAt(at)));
}

const rejected = (line: number | null, column: number | null, message: string): DecodedSource => ({
  ok: false,
  problem: { line, column, key: '', message },
});

function encodingProblem(source: Uint8Array): string {
  const [first, second] = source;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? 'The file is UTF-16; save it as UTF-8.' : 'The file is not UTF-8; save it as UTF-8.';
}

function invisibleProblem(code: number): string {
  if (code === 0x0d) return 'A carriage return stands alone; end lines with LF or CRLF.';
  return `The invisible character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed here.`;
}

/** Returns the line, from 1, of the first invalid byte. A line feed is never part of a longer UTF-8 sequence. */
function brokenLine(source: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < source.length; line += 1) {
    const feed = source.indexOf(LINE_FEED, start);
    const end = feed === -1 ? source.length : feed + 1;
    if (!isUtf8(source.subarray(start, end))) return line;
    start = end;
  }
  return line;
}

type Mapping = Readonly<Record<string, unknown>>;

/** Keys with a form in the document that differs from the form in the policy. */
const READ: { readonly [K in PolicyKey]?: (written: unknown) => PolicyValues[K] } = {
  'stages.development.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.testing.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.testing.required_artifacts': (written) => (written as Mapping[]).map(requiredArtifact),
  'stages.evidencing.required_evidence': (written) => (written as Mapping[]).map(requiredEvidence),
  'stages.development.soak': (written) => toSeconds(written as string),
  'stages.testing.soak': (written) => toSeconds(written as string),
  'stages.deployment.hold.for': (written) => toHours(written as string),
  freezes: (written) => (written as Mapping[]).map(freeze),
};

/** Returns the policy of a valid document, with all defaults. */
function toPolicy(document: unknown): ParsedPolicy {
  const written = new Map(
    POLICY_KEYS.map((key) => [key, valueAt(document, key)] as const).filter(([, value]) => value !== undefined),
  );
  const stated = [...written.keys()];
  const toValue = <K extends PolicyKey>(key: K): PolicyValues[K] => {
    const read: ((written: unknown) => PolicyValues[K]) | undefined = READ[key];
    return read === undefined ? (written.get(key) as PolicyValues[K]) : read(written.get(key));
  };
  return { values: replaceValues(DEFAULT_VALUES, stated, toValue), stated };
}

/** Returns the value at a dotted path, or undefined. */
const valueAt = (document: unknown, key: string): unknown =>
  key.split('.').reduce<unknown>((value, step) => (value as Mapping | undefined)?.[step], document);

/** Converts `24h` or `7d`. */
const toHours = (written: string): number => Number.parseInt(written, 10) * (written.endsWith('d') ? 24 : 1);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Converts `90s`, `30m`, `24h` or `2d`. */
const toSeconds = (written: string): number =>
  Number.parseInt(written, 10) * (SECONDS[written.slice(-1)] ?? Number.NaN);

function requiredCheck(written: string | Mapping): RequiredCheck {
  if (typeof written === 'string') return { name: written, app: null };
  return {
    name: written['name'] as string,
    app: (written['app'] as string | undefined) ?? null,
    ...(written['allow_skipped'] === true ? { allowSkipped: true } : {}),
  };
}

/** Without a required provenance nothing states the builder and the workflow. */
function requiredArtifact(written: Mapping): RequiredArtifact {
  const name = written['name'] as string;
  if (written['provenance'] === false) return { name, provenance: false, builder: 'any', signerWorkflow: null };
  return {
    name,
    provenance: true,
    builder: (written['builder'] as RequiredArtifact['builder'] | undefined) ?? 'github-hosted',
    signerWorkflow: (written['signer_workflow'] as string | undefined) ?? null,
  };
}

function requiredEvidence(written: Mapping): RequiredEvidence {
  const kind = written['kind'] as EvidenceKind;
  return {
    kind,
    environment: (written['environment'] as string | undefined) ?? null,
    minTests:
      (written['min_tests'] as number | undefined) ?? ((TEST_KINDS as readonly string[]).includes(kind) ? 1 : 0),
    ...(written['after_deployment'] === true ? { afterDeployment: true } : {}),
  };
}

const freeze = (written: Mapping): Freeze => ({
  from: written['from'] as string,
  to: written['to'] as string,
  reason: (written['reason'] as string | undefined) ?? '',
});

const MAX_PROBLEMS = 100;

/** The result of reading one document, before it is merged with the organization's default. */
export type PolicyReading =
  | { readonly ok: true; readonly stated: ParsedPolicy; readonly findPlace: (key: PolicyKey) => Place }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * Parses the `sdlc.yaml` of a repository and merges it with the organization's default, if there is one. An invalid default makes
 * each policy below it invalid, because its requirements are unknown. With `hideDefault` the problems contain nothing from the
 * default, because readers of the repository may not be able to read it. Never throws.
 */
export function parsePolicyDocument(
  source: string | Uint8Array,
  defaultBranch: string,
  organizationDefault: PolicyReading | null = null,
  hideDefault = false,
): PolicyState {
  const reading = readPolicyDocument(source);
  const organizationProblems = organizationDefault?.ok === false ? listProblems(organizationDefault, hideDefault) : [];
  if (!reading.ok || organizationProblems.length > 0) {
    const problems = [...organizationProblems, ...(reading.ok ? [] : reading.problems)];
    return { status: 'invalid', problems, defaultBranch };
  }
  const organization = organizationDefault?.ok === true ? organizationDefault.stated : null;
  const { policy, conflicts } = mergePolicies(organization, reading.stated);
  if (conflicts.length === 0) {
    return {
      status: 'valid',
      policy,
      organization,
      repository: reading.stated,
      digest: policyDigest(policy),
      defaultBranch,
    };
  }
  const problems = conflicts.map(({ key, message }): PolicyProblem => {
    const { line, column } = reading.findPlace(key);
    return { line, column, key, message: hideDefault ? HIDDEN_CONFLICT : message };
  });
  return { status: 'invalid', problems: inOrder(problems), defaultBranch };
}

/** Reads one document. Returns its policy, or all of its problems in the order of the lines. Never throws. */
export function readPolicyDocument(source: string | Uint8Array): PolicyReading {
  const decoded = decodePolicySource(source);
  if (!decoded.ok) return { ok: false, problems: [decoded.problem] };
  const reading = readYamlDocument(decoded.text);
  if (!reading.ok) return { ok: false, problems: inOrder(reading.problems) };
  const { document } = reading;
  const problems = [...document.problems, ...schemaProblems(document), ...semanticProblems(document)];
  if (problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return {
    ok: true,
    stated: toPolicy(document.value),
    findPlace: (key) => document.findPlace(key.split('.').reduce(pointerTo, ROOT)),
  };
}

function schemaProblems(document: YamlDocument): readonly PolicyProblem[] {
  if (document.value === null) {
    return [{ line: 1, column: 1, key: '', message: 'The file is empty; it needs at least `version: v1`.' }];
  }
  const { value, tooLong } = cutLists(document.value, SDLC_V1_SCHEMA);
  const excess = tooLong.map(({ pointer, limit }) => listProblem(document, pointer, limit));
  if (validatePolicy(value)) return excess;
  return [...excess, ...(validatePolicy.errors ?? []).map((error) => schemaProblem(error, document))];
}

const HIDDEN_CONFLICT = "The organization's default does not allow this value.";

const listProblems = (
  { problems }: Extract<PolicyReading, { ok: false }>,
  hideDefault: boolean,
): readonly PolicyProblem[] =>
  hideDefault
    ? [{ line: null, column: null, key: '', message: "The organization's default does not validate." }]
    : problems.map(inDefault);

const inDefault = ({ line, key, message }: PolicyProblem): PolicyProblem => ({
  line: null,
  column: null,
  key,
  message: `In the organization's default${line === null ? '' : `, line ${line}`}: ${message}`,
});

function inOrder(problems: readonly PolicyProblem[]): readonly PolicyProblem[] {
  // Only the first problem of a value counts: a number where text is expected is not also too short.
  const distinct = new Map(
    problems.toReversed().map((problem) => [`${problem.line}:${problem.column}:${problem.key}`, problem]),
  );
  const ordered = [...distinct.values()].sort(
    (left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0),
  );
  if (ordered.length <= MAX_PROBLEMS) return ordered;
  const message = `There are ${ordered.length - MAX_PROBLEMS} more problems after these.`;
  return [...ordered.slice(0, MAX_PROBLEMS), { line: null, column: null, key: '', message }];
}

/** A list with more entries than the schema allows. */
interface LongList {
  readonly pointer: string;
  readonly limit: number;
}

/** A value whose lists have no more entries than the schema allows. */
interface CutValue {
  readonly value: unknown;
  /** The lists that were cut. */
  readonly tooLong: readonly LongList[];
}

/**
 * Cuts the lists of a document to the lengths that the schema allows. The validator compares each entry of a list with each other
 * entry, and reads all entries of a list that is too long.
 */
function cutLists(value: unknown, schema: PolicySchema): CutValue {
  const tooLong: LongList[] = [];
  const cut = (part: unknown, { properties, items, maxItems }: PolicySchema, pointer: string): unknown => {
    if (Array.isArray(part)) {
      if (maxItems !== undefined && part.length > maxItems) tooLong.push({ pointer, limit: maxItems });
      const first: readonly unknown[] = part.slice(0, maxItems);
      return items === undefined ? first : first.map((item, at) => cut(item, items, pointerTo(pointer, at)));
    }
    if (typeof part !== 'object' || part === null || properties === undefined) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => {
        const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
        return [key, own === undefined ? inner : cut(inner, own, pointerTo(pointer, key))];
      }),
    );
  };
  return { value: cut(value, schema, ROOT), tooLong };
}
