/** What the schema's validator found, in the words and at the place of the file that somebody wrote. */
import type { ErrorObject } from 'ajv';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import { PATTERNS, type PolicySchema } from '../schema/policy-schema.js';
import { pointerTo, readableKey } from './document-path.js';
import { excerpt } from './excerpt.js';
import { closestTo, hintFor } from './known-key.js';
import type { YamlDocument } from './yaml-document.js';

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping of keys',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

const RULES: ReadonlyMap<string, string> = new Map(Object.values(PATTERNS).map(({ pattern, rule }) => [pattern, rule]));

/** An error of the validator as a problem of the document. */
export function schemaProblem(error: ErrorObject, document: YamlDocument): PolicyProblem {
  const parameters = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'additionalProperties') {
    const pointer = pointerTo(error.instancePath, String(parameters['additionalProperty']));
    return { ...document.placeOfKey(pointer), key: readableKey(pointer), message: unknownKey(error, parameters) };
  }
  if (error.keyword === 'required') {
    const key = String(parameters['missingProperty']);
    const pointer = pointerTo(error.instancePath, key);
    return { ...document.placeOf(pointer), key: readableKey(pointer), message: missingKey(key, error) };
  }
  const place = document.placeOf(error.instancePath);
  return { ...place, key: readableKey(error.instancePath), message: `${wrongValue(error, parameters)}.` };
}

function unknownKey({ parentSchema }: ErrorObject, parameters: Readonly<Record<string, unknown>>): string {
  const key = String(parameters['additionalProperty']);
  if (key === '<<') return 'YAML 1.2 has no merge keys; write the keys out.';
  const siblings = Object.keys((parentSchema as PolicySchema).properties ?? {});
  return `Unknown key "${excerpt(key)}". ${hintFor(key, siblings)}`;
}

function missingKey(key: string, { parentSchema }: ErrorObject): string {
  const wanted = (parentSchema as PolicySchema).properties?.[key]?.const;
  return wanted === undefined
    ? `The key ${key} is missing.`
    : `The key ${key} is missing; write \`${key}: ${wanted}\`.`;
}

function wrongValue(error: ErrorObject, parameters: Readonly<Record<string, unknown>>): string {
  const { parentSchema, data } = error;
  const limit = String(parameters['limit']);
  switch (error.keyword) {
    case 'type':
      return wrongType(parentSchema as PolicySchema, data);
    case 'const':
      return `Must be ${String(parameters['allowedValue'])}, but is ${shown(data)}`;
    case 'enum':
      return wrongChoice((parentSchema as PolicySchema).enum ?? [], data);
    case 'minimum':
      return `Must be ${limit} or more, but is ${shown(data)}`;
    case 'maximum':
      return `Must be ${limit} or less, but is ${shown(data)}`;
    case 'minLength':
      return 'May not be empty';
    case 'maxLength':
      return `Must have ${limit} characters or fewer`;
    case 'maxItems':
      return `Must have ${limit} entries or fewer`;
    case 'uniqueItems':
      return `Entries ${Number(parameters['j']) + 1} and ${Number(parameters['i']) + 1} are the same`;
    case 'format':
      return `Must be a day of the calendar as YYYY-MM-DD, but is ${shown(data)}`;
    case 'pattern':
      return `The value ${shown(data)} ${RULES.get(String(parameters['pattern'])) ?? 'has a wrong form'}`;
    default:
      return error.message ?? 'The value is not valid';
  }
}

function wrongType({ type }: PolicySchema, data: unknown): string {
  const types = [type ?? []].flat();
  const wanted = types.map((name) => TYPES[name] ?? name).join(' or ');
  if (data === null) return `Must be ${wanted}, but is empty; give it a value or leave the key out`;
  const message = `Must be ${wanted}, but is ${shown(data)}`;
  if (type === 'boolean' && typeof data === 'string')
    return `${message}; YAML 1.2 knows true and false only, without quotes`;
  return types.includes('string') && typeof data !== 'object' ? `${message}; put it in quotes` : message;
}

function wrongChoice(choices: readonly string[], data: unknown): string {
  const guess = typeof data === 'string' ? closestTo(data, choices) : null;
  const message = `Must be one of ${choices.join(', ')}, but is ${shown(data)}`;
  return guess === null ? message : `${message} (did you mean ${guess}?)`;
}

function shown(data: unknown): string {
  if (typeof data === 'string') return `"${excerpt(data)}"`;
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' && data !== null ? 'a mapping' : String(data);
}
