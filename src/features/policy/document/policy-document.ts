/** Reads `sdlc.yaml`: what the repository's rules are, or everything that is wrong with the file. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isCalendarDay } from '../../../domain/policy/calendar-day.js';
import type { PolicyProblem, PolicyState } from '../../../domain/policy/policy.js';
import type { PolicyKey } from '../../../domain/policy/policy-fields.js';
import { tighten, type StatedPolicy } from '../../../domain/policy/tighten.js';
import { SDLC_V1_SCHEMA } from '../schema/sdlc.v1.schema.js';
import { pointerTo, ROOT } from './document-path.js';
import { meaningProblems } from './meaning-problem.js';
import { policyDigest } from './policy-digest.js';
import { decodePolicySource } from './policy-source.js';
import { schemaProblem } from './schema-problem.js';
import { statedPolicy } from './stated-policy.js';
import { readYamlDocument, type Place, type YamlDocument } from './yaml-document.js';

const MAX_PROBLEMS = 100;

/** One document by itself, before any organization's default is laid over it. */
export type PolicyReading =
  | { readonly ok: true; readonly stated: StatedPolicy; readonly placeOf: (key: PolicyKey) => Place }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * The policy of a repository by its `sdlc.yaml`, under its organization's default where there is one. A default that
 * does not validate makes every policy below it invalid: nobody can tell what it meant to ask for. Of a default that is
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
  const { policy, loosenings } = tighten(organizationDefault.stated, reading.stated);
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
  const problems = [...document.problems, ...schemaProblems(document), ...meaningProblems(document)];
  if (problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return {
    ok: true,
    stated: statedPolicy(document.value),
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

const valid = (policy: StatedPolicy['policy'], defaultBranch: string): PolicyState => ({
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
