/**
 * The problems of `sdlc.yaml` with their positions in the file: errors of the schema, with suggestions for unknown keys, and valid
 * values that contradict each other.
 */

import type { ErrorObject } from 'ajv';
import { distance } from 'fastest-levenshtein';
import { EVIDENCE_KINDS, TEST_KINDS } from '../domain/evidence/evidence.js';
import { isCalendarDay } from '../domain/policy/freeze.js';
import { AMBIGUOUS_CAPITALS, DEFAULT_POLICY, isSameEnvironment, type PolicyProblem } from '../domain/policy/policy.js';
import { PATTERNS, type PolicySchema } from './policy-schema.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';
import { sanitizeExcerpt, pointerTo, readableKey, type YamlDocument } from './yaml-document.js';

const TESTS: ReadonlySet<unknown> = new Set(TEST_KINDS);
const KINDS: ReadonlySet<unknown> = new Set(EVIDENCE_KINDS);

/** Returns the contradictions of a document. It may also violate the schema: values of a wrong type are skipped here. */
export const semanticProblems = (document: YamlDocument): readonly PolicyProblem[] => [
  ...chainProblems(document),
  ...environmentProblems(document),
  ...listEntries(document.value, ['freezes']).flatMap(({ from, to }, index) =>
    isDay(from) && isDay(to) && to < from
      ? [problem(document, `/freezes/${index}/to`, `The freeze ends before it begins, on ${from}.`)]
      : [],
  ),
  ...listEntries(document.value, ['stages', 'evidencing', 'required_evidence']).flatMap(({ kind, min_tests }, index) =>
    min_tests !== undefined && KINDS.has(kind) && !TESTS.has(kind)
      ? [
          problem(
            document,
            `/stages/evidencing/required_evidence/${index}/min_tests`,
            `Only ${TEST_KINDS.join(', ')} count tests.`,
          ),
        ]
      : [],
  ),
  ...listEntries(document.value, ['stages', 'testing', 'required_artifacts']).flatMap((entry, index) =>
    entry['provenance'] === false
      ? ['builder', 'signer_workflow'].flatMap((key) =>
          entry[key] === undefined
            ? []
            : [
                problem(
                  document,
                  `/stages/testing/required_artifacts/${index}/${key}`,
                  'Only a provenance states it, and this entry requires none.',
                ),
              ],
        )
      : [],
  ),
];

/** Returns the soaks and the entries `after_deployment` without an environment before the target. */
function chainProblems(document: YamlDocument): readonly PolicyProblem[] {
  const stages = findMember(document.value, 'stages');
  const target = findMember(findMember(stages, 'deployment'), 'target') ?? DEFAULT_POLICY.deployment.target;
  const soaks = ['development', 'testing'].flatMap((stage) => {
    const keys = findMember(stages, stage);
    const environment = findMember(keys, 'deploy_target');
    if (findMember(keys, 'soak') === undefined) return [];
    const path = `/stages/${stage}/soak`;
    if (environment === undefined) {
      return [problem(document, path, 'A soak needs the deploy_target of its stage beside it.')];
    }
    return typeof environment === 'string' && typeof target === 'string' && isSameEnvironment(environment, target)
      ? [problem(document, path, 'The target opens only after the soak, so a soak in the target never begins.')]
      : [];
  });
  if (findMember(findMember(stages, 'testing'), 'deploy_target') !== undefined) return soaks;
  const entries = listEntries(document.value, ['stages', 'evidencing', 'required_evidence']);
  const later = entries.flatMap((entry, index) =>
    entry['after_deployment'] === true
      ? [
          problem(
            document,
            `/stages/evidencing/required_evidence/${index}/after_deployment`,
            'Evidence after a deployment needs stages.testing.deploy_target.',
          ),
        ]
      : [],
  );
  return [...soaks, ...later];
}

const ENVIRONMENTS = [
  ['development', 'deploy_target'],
  ['testing', 'deploy_target'],
  ['deployment', 'target'],
] as const;
const AMBIGUOUS_CAPITAL = new RegExp(`[${AMBIGUOUS_CAPITALS}]`, 'u');

/** Returns the environments whose name has a capital letter without one lower case, because their case is ignored. */
function environmentProblems(document: YamlDocument): readonly PolicyProblem[] {
  const stages = findMember(document.value, 'stages');
  return ENVIRONMENTS.flatMap(([stage, key]) => {
    const name = findMember(findMember(stages, stage), key);
    if (typeof name !== 'string') return [];
    const letter = AMBIGUOUS_CAPITAL.exec(name)?.[0];
    if (letter === undefined) return [];
    const message = `The capital letter "${letter}" has no single lower case, and the case of an environment is ignored. Use another letter.`;
    return [problem(document, `/stages/${stage}/${key}`, message)];
  });
}

const findMember = (value: unknown, key: string): unknown => (isMapping(value) ? value[key] : undefined);

/** Returns the problem of a list with more entries than its limit. */
export const listProblem = (document: YamlDocument, pointer: string, limit: number): PolicyProblem =>
  problem(document, pointer, `Must have ${limit} entries or fewer.`);

function problem(document: YamlDocument, pointer: string, message: string): PolicyProblem {
  return { ...document.findPlace(pointer), key: readableKey(pointer), message };
}

/** Returns the mappings of the list at the path. Other items become empty mappings, so that the indexes stay correct. */
function listEntries(value: unknown, path: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  const list = path.reduce<unknown>((outer, step) => (isMapping(outer) ? outer[step] : undefined), value);
  return Array.isArray(list) ? list.map((entry: unknown) => (isMapping(entry) ? entry : {})) : [];
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDay = (value: unknown): value is string => typeof value === 'string' && isCalendarDay(value);

const LONGEST_GUESS = 64;

/** Each key of the schema with its sections. */
const SECTIONS: ReadonlyMap<string, readonly string[]> = sectionsByKey();

/** Returns one sentence with the probable key, the section of the key, or all known keys. */
function suggestKey(key: string, siblings: readonly string[]): string {
  const normal = inSnakeCase(key);
  if (siblings.includes(normal)) return `Did you mean ${normal}?`;
  const sections = SECTIONS.get(normal);
  if (sections !== undefined) return `It belongs under ${sections.join(' or ')}.`;
  const guess = closestMatch(normal, siblings);
  return guess === null ? `Allowed keys: ${siblings.join(', ')}.` : `Did you mean ${guess}?`;
}

/** Returns the candidate with the smallest edit distance, at most a third of the text's length, or null. */
function closestMatch(text: string, candidates: readonly string[]): string | null {
  if (text.length > LONGEST_GUESS) return null;
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: distance(text, candidate) }))
    .sort((left, right) => left.edits - right.edits);
  return best !== undefined && best.edits <= Math.max(1, Math.floor(text.length / 3)) ? best.candidate : null;
}

const inSnakeCase = (key: string): string =>
  key
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll(/[\s-]/g, '_')
    .toLowerCase();

function sectionsByKey(): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  const walk = ({ properties, items }: PolicySchema, path: string): void => {
    for (const [key, schema] of Object.entries(properties ?? {})) {
      sections.set(key, [...(sections.get(key) ?? []), path === '' ? 'the top level' : path]);
      walk(schema, path === '' ? key : `${path}.${key}`);
    }
    if (items !== undefined) walk(items, path);
  };
  walk(SDLC_V1_SCHEMA, '');
  return sections;
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping of keys',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

const RULES: ReadonlyMap<string, string> = new Map(Object.values(PATTERNS).map(({ pattern, rule }) => [pattern, rule]));

/** Converts an error of the validator to a problem of the document. */
export function schemaProblem(error: ErrorObject, document: YamlDocument): PolicyProblem {
  const parameters = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'additionalProperties') {
    const pointer = pointerTo(error.instancePath, String(parameters['additionalProperty']));
    return { ...document.placeOfKey(pointer), key: readableKey(pointer), message: unknownKey(error, parameters) };
  }
  if (error.keyword === 'required') {
    const key = String(parameters['missingProperty']);
    const pointer = pointerTo(error.instancePath, key);
    return { ...document.findPlace(pointer), key: readableKey(pointer), message: missingKey(key, error) };
  }
  const place = document.findPlace(error.instancePath);
  return { ...place, key: readableKey(error.instancePath), message: `${wrongValue(error, parameters)}.` };
}

function unknownKey({ parentSchema }: ErrorObject, parameters: Readonly<Record<string, unknown>>): string {
  const key = String(parameters['additionalProperty']);
  if (key === '<<') return 'YAML 1.2 has no merge keys; write the keys out.';
  const siblings = Object.keys((parentSchema as PolicySchema).properties ?? {});
  return `Unknown key "${sanitizeExcerpt(key)}". ${suggestKey(key, siblings)}`;
}

function missingKey(key: string, { parentSchema }: ErrorObject): string {
  const expected = (parentSchema as PolicySchema).properties?.[key]?.const;
  return expected === undefined
    ? `The key ${key} is missing.`
    : `The key ${key} is missing; write \`${key}: ${expected}\`.`;
}

function wrongValue(error: ErrorObject, parameters: Readonly<Record<string, unknown>>): string {
  const { parentSchema, data } = error;
  const limit = String(parameters['limit']);
  switch (error.keyword) {
    case 'type':
      return wrongType(parentSchema as PolicySchema, data);
    case 'const':
      return `Must be ${String(parameters['allowedValue'])}, but is ${describeValue(data)}`;
    case 'enum':
      return wrongChoice((parentSchema as PolicySchema).enum ?? [], data);
    case 'minimum':
      return `Must be ${limit} or more, but is ${describeValue(data)}`;
    case 'maximum':
      return `Must be ${limit} or less, but is ${describeValue(data)}`;
    case 'minLength':
      return 'May not be empty';
    case 'maxLength':
      return `Must have ${limit} characters or fewer`;
    case 'uniqueItems':
      return `Entries ${Number(parameters['j']) + 1} and ${Number(parameters['i']) + 1} are the same`;
    case 'format':
      return `Must be a day of the calendar as YYYY-MM-DD, but is ${describeValue(data)}`;
    case 'pattern':
      return `The value ${describeValue(data)} ${RULES.get(String(parameters['pattern'])) ?? 'has a wrong form'}`;
    default:
      return error.message ?? 'The value is not valid';
  }
}

function wrongType({ type }: PolicySchema, data: unknown): string {
  const types = [type ?? []].flat();
  const expected = types.map((name) => TYPES[name] ?? name).join(' or ');
  if (data === null) return `Must be ${expected}, but is empty; give it a value or leave the key out`;
  const message = `Must be ${expected}, but is ${describeValue(data)}`;
  if (type === 'boolean' && typeof data === 'string')
    return `${message}; YAML 1.2 knows true and false only, without quotes`;
  return types.includes('string') && typeof data !== 'object' ? `${message}; put it in quotes` : message;
}

function wrongChoice(choices: readonly string[], data: unknown): string {
  const guess = typeof data === 'string' ? closestMatch(data, choices) : null;
  const message = `Must be one of ${choices.join(', ')}, but is ${describeValue(data)}`;
  return guess === null ? message : `${message} (did you mean ${guess}?)`;
}

function describeValue(data: unknown): string {
  if (typeof data === 'string') return `"${sanitizeExcerpt(data)}"`;
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' && data !== null ? 'a mapping' : String(data);
}
