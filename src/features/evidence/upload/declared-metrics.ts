import {
  TEST_KINDS,
  type CoverageMetrics,
  type Metrics,
  type SeverityMetrics,
  type TestMetrics,
} from '../../../domain/evidence/evidence.js';
import { DomainError } from '../../../http/errors/domain-error.js';

const MOST = 1_000_000_000;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** What an upload states of itself in `metrics`. */
export interface DeclaredMetrics {
  /** Those that the service understands; the others are kept as they came and are never a verdict. */
  readonly understood: Metrics;
  /** What does not add up, for people. */
  readonly flags: readonly string[];
}

/** Reads the metrics that the service understands; refuses them where they are not numbers that can be. */
export function readDeclaredMetrics(metrics: Readonly<Record<string, unknown>>): DeclaredMetrics {
  const flags: string[] = [];
  const understood: { -readonly [K in keyof Metrics]: Metrics[K] } = {};
  for (const kind of TEST_KINDS) {
    if (Object.hasOwn(metrics, kind)) understood[kind] = testMetrics(kind, fieldsOf(kind, metrics[kind]), flags);
  }
  if (Object.hasOwn(metrics, 'coverage'))
    understood.coverage = coverageMetrics(fieldsOf('coverage', metrics['coverage']));
  for (const kind of ['sast_scan', 'security'] as const) {
    if (Object.hasOwn(metrics, kind)) understood[kind] = severityMetrics(kind, fieldsOf(kind, metrics[kind]));
  }
  return { understood, flags };
}

function testMetrics(kind: string, fields: Readonly<Record<string, unknown>>, flags: string[]): TestMetrics {
  const passed = countOf(`${kind}.passed`, fields['passed']);
  const failed = countOf(`${kind}.failed`, fields['failed']);
  const skipped = fields['skipped'] === undefined ? 0 : countOf(`${kind}.skipped`, fields['skipped']);
  const sum = passed + failed + skipped;
  const total = fields['total'] === undefined ? sum : countOf(`${kind}.total`, fields['total']);
  if (total !== sum)
    flags.push(`metrics.${kind}: ${passed} passed, ${failed} failed and ${skipped} skipped are not ${total}.`);
  return { total, passed, failed, skipped };
}

function coverageMetrics(fields: Readonly<Record<string, unknown>>): CoverageMetrics {
  return {
    line_percent: percentOf('coverage.line_percent', fields['line_percent']),
    branch_percent: percentOf('coverage.branch_percent', fields['branch_percent']),
  };
}

function severityMetrics(kind: string, fields: Readonly<Record<string, unknown>>): SeverityMetrics {
  const [critical, high, medium, low] = SEVERITIES.map((severity) => countOf(`${kind}.${severity}`, fields[severity]));
  return {
    critical: critical ?? Number.NaN,
    high: high ?? Number.NaN,
    medium: medium ?? Number.NaN,
    low: low ?? Number.NaN,
  };
}

function fieldsOf(key: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused(key, 'an object');
  return value as Readonly<Record<string, unknown>>;
}

function countOf(key: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MOST) {
    throw refused(key, 'a whole number from 0 to a thousand million');
  }
  return value;
}

function percentOf(key: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= 100)) throw refused(key, 'a number from 0 to 100');
  return value;
}

const refused = (key: string, expected: string): DomainError =>
  new DomainError('unprocessable', `metrics.${key} must be ${expected}.`);
