import type { ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';

/** The errors of the last validation, one sentence for each place in the value. */
export function problemsOf({ errors }: ValidateFunction): string[] {
  return [...new Set((errors ?? []).map(sentenceOf))];
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
