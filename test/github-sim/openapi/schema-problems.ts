import type { ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';

const LIMIT = 12;

/** Why the last value did not validate, one sentence each, told apart by where in the value it is wrong. */
export function problemsOf({ errors }: ValidateFunction): string[] {
  const sentences = [...new Set((errors ?? []).map(sentenceOf))];
  const rest = sentences.length - LIMIT;
  return rest > 0 ? [...sentences.slice(0, LIMIT), `and ${rest} more`] : sentences;
}

function sentenceOf({ instancePath, message, params, keyword }: ErrorObject): string {
  return [instancePath, message ?? keyword, detailOf(params as Record<string, unknown>)].filter(Boolean).join(' ');
}

function detailOf(params: Record<string, unknown>): string {
  if (typeof params['unevaluatedProperty'] === 'string') return `("${params['unevaluatedProperty']}")`;
  if (typeof params['additionalProperty'] === 'string') return `("${params['additionalProperty']}")`;
  if (Array.isArray(params['allowedValues'])) return `(${params['allowedValues'].join(', ')})`;
  return '';
}
