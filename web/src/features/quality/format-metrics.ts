import type { Schema } from '../../api/client.js';

/** Formats the numbers of a result, for example "total 12, failed 0". Nested names stand before the number. */
export function formatMetrics({ metrics, type }: Pick<Schema<'QualityResult'>, 'metrics' | 'type'>): string {
  return listNumbers(metrics[type] ?? metrics, []).join(', ');
}

function listNumbers(value: unknown, path: readonly string[]): readonly string[] {
  if (typeof value === 'number') return [[...path.map((name) => name.replaceAll('_', ' ')), value].join(' ')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => listNumbers(inner, [...path, name]));
}
