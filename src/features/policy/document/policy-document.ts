/** Reads `sdlc.yaml`: what the repository's rules are, or everything that is wrong with the file. */
import { isUtf8 } from 'node:buffer';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { sha256 } from '../../../crypto/digests.js';
import { canonicalJson, type JsonObject } from '../../../domain/audit/canonical-json.js';
import { type EvidenceKind, TEST_KINDS } from '../../../domain/evidence/evidence.js';
import { isCalendarDay } from '../../../domain/policy/freeze.js';
import { type ParsedPolicy, mergePolicies } from '../../../domain/policy/merge-policies.js';
import {
  DEFAULT_POLICY,
  type Freeze,
  type Policy,
  type PolicyProblem,
  type PolicyState,
  type RequiredCheck,
  type RequiredEvidence,
} from '../../../domain/policy/policy.js';
import {
  buildPolicy,
  POLICY_KEYS,
  type PolicyKey,
  policyValue,
  type PolicyValues,
} from '../../../domain/policy/policy-fields.js';
import { SDLC_V1_SCHEMA } from '../schema/sdlc.v1.schema.js';
import { semanticProblems, schemaProblem } from './policy-problems.js';
import { type Place, pointerTo, readYamlDocument, ROOT, type YamlDocument } from './yaml-document.js';

/** SHA-256, in lower-case hex, over the policy as canonical JSON. */
const policyDigest = (policy: Policy): string => sha256(canonicalJson(policy as unknown as JsonObject));

/** Largest `sdlc.yaml`, in bytes. */
const MAX_POLICY_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
/** What YAML allows nowhere (YAML 1.2.2 § 5.1), and a carriage return that ends no line: an editor shows neither. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|\r(?!\n)|\p{Cs}|\uFEFF/u;

type DecodedSource =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: PolicyProblem };

/** The document as text: UTF-8 of bounded size, without what cannot be seen. A byte order mark at its start is skipped. */
function decodePolicySource(source: string | Uint8Array): DecodedSource {
  const size = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (size > MAX_POLICY_BYTES)
    return refuse(null, null, `The file has ${size} bytes; the most is ${MAX_POLICY_BYTES}.`);
  if (typeof source !== 'string' && !isUtf8(source)) return refuse(brokenLine(source), null, encodingProblem(source));
  const text = (typeof source === 'string' ? source : Buffer.from(source).toString('utf8')).replace(/^\uFEFF/, '');
  const at = text.search(INVISIBLE);
  if (at === -1) return { ok: true, text };
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return refuse(line, column, invisibleProblem(text.charCodeAt(at)));
}

const refuse = (line: number | null, column: number | null, message: string): DecodedSource => ({
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

/** 1-based line of the first that is no UTF-8; a line feed is never part of a longer sequence. */
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

/** Keys whose values are written otherwise than the policy keeps them. */
const READ: { readonly [K in PolicyKey]?: (written: unknown) => PolicyValues[K] } = {
  'stages.development.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.testing.required_checks': (written) => (written as (string | Mapping)[]).map(requiredCheck),
  'stages.evidencing.required_evidence': (written) => (written as Mapping[]).map(requiredEvidence),
  freezes: (written) => (written as Mapping[]).map(freeze),
};

/** The policy that a document which satisfies the schema states, with every default filled in. */
function toPolicy(document: unknown): ParsedPolicy {
  const written = new Map(
    POLICY_KEYS.map((key) => [key, valueAt(document, key)] as const).filter(([, value]) => value !== undefined),
  );
  const value = <K extends PolicyKey>(key: K): PolicyValues[K] => {
    if (!written.has(key)) return policyValue(DEFAULT_POLICY, key);
    const read: ((written: unknown) => PolicyValues[K]) | undefined = READ[key];
    return read === undefined ? (written.get(key) as PolicyValues[K]) : read(written.get(key));
  };
  return { policy: buildPolicy(value), stated: new Set(written.keys()) };
}

/** What the document holds at a dotted path; undefined where it holds nothing. */
const valueAt = (document: unknown, key: string): unknown =>
  key.split('.').reduce<unknown>((value, step) => (value as Mapping | undefined)?.[step], document);

function requiredCheck(written: string | Mapping): RequiredCheck {
  if (typeof written === 'string') return { name: written, app: null };
  return {
    name: written['name'] as string,
    app: (written['app'] as string | undefined) ?? null,
    ...(written['allow_skipped'] === true ? { allowSkipped: true } : {}),
  };
}

function requiredEvidence(written: Mapping): RequiredEvidence {
  const kind = written['kind'] as EvidenceKind;
  return {
    kind,
    environment: (written['environment'] as string | undefined) ?? null,
    minTests:
      (written['min_tests'] as number | undefined) ?? ((TEST_KINDS as readonly string[]).includes(kind) ? 1 : 0),
  };
}

const freeze = (written: Mapping): Freeze => ({
  from: written['from'] as string,
  to: written['to'] as string,
  reason: (written['reason'] as string | undefined) ?? '',
});

const MAX_PROBLEMS = 100;

/** One document by itself, before any organization's default is laid over it. */
export type PolicyReading =
  | { readonly ok: true; readonly stated: ParsedPolicy; readonly placeOf: (key: PolicyKey) => Place }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * The policy of a repository by its `sdlc.yaml`, under its organization's default where there is one. A default that
 * does not validate makes every policy below it invalid: its requirements are unknown. Of a default that is
 * `untold` the problems say nothing but that there is one. Never throws.
 */
export function parsePolicyDocument(
  source: string | Uint8Array,
  defaultBranch: string,
  organizationDefault: PolicyReading | null = null,
  untold = false,
): PolicyState {
  const reading = readPolicyDocument(source);
  const organizationProblems = organizationDefault?.ok === false ? problemsOf(organizationDefault, untold) : [];
  if (!reading.ok || organizationProblems.length > 0) {
    const problems = [...organizationProblems, ...(reading.ok ? [] : reading.problems)];
    return { status: 'invalid', problems, defaultBranch };
  }
  if (organizationDefault?.ok !== true) return valid(reading.stated.policy, defaultBranch);
  const { policy, loosenings } = mergePolicies(organizationDefault.stated, reading.stated);
  if (loosenings.length === 0) return valid(policy, defaultBranch);
  const problems = loosenings.map(({ key, message }): PolicyProblem => {
    const { line, column } = reading.placeOf(key);
    return { line, column, key, message: untold ? UNTOLD_LOOSENING : message };
  });
  return { status: 'invalid', problems: inOrder(problems), defaultBranch };
}

/** The policy that one document states, or every problem in it, in the order of its lines. Never throws. */
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
    placeOf: (key) => document.placeOf(key.split('.').reduce(pointerTo, ROOT)),
  };
}

function schemaProblems(document: YamlDocument): readonly PolicyProblem[] {
  if (document.value === null) {
    return [{ line: 1, column: 1, key: '', message: 'The file is empty; it needs at least `version: v1`.' }];
  }
  if (validate(document.value)) return [];
  return (validate.errors ?? []).map((error) => schemaProblem(error, document));
}

// Whether the schema is itself valid is for its tests to say: to find that out takes longer than to compile it.
const validate: ValidateFunction = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
})
  .addFormat('date', isCalendarDay)
  .compile(SDLC_V1_SCHEMA);

const valid = (policy: ParsedPolicy['policy'], defaultBranch: string): PolicyState => ({
  status: 'valid',
  policy,
  digest: policyDigest(policy),
  defaultBranch,
});

const UNTOLD_LOOSENING = "The organization's default does not allow this value.";

const problemsOf = ({ problems }: Extract<PolicyReading, { ok: false }>, untold: boolean): readonly PolicyProblem[] =>
  untold
    ? [{ line: null, column: null, key: '', message: "The organization's default does not validate." }]
    : problems.map(inDefault);

const inDefault = ({ line, key, message }: PolicyProblem): PolicyProblem => ({
  line: null,
  column: null,
  key,
  message: `In the organization's default${line === null ? '' : `, line ${line}`}: ${message}`,
});

function inOrder(problems: readonly PolicyProblem[]): readonly PolicyProblem[] {
  // Of one value only the first is told: what is no text is not too short as well.
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
