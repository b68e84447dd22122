import {
  type CoverageMetrics,
  EVIDENCE_KINDS,
  type EvidenceKind,
  isMeasured,
  type EvidenceMetrics,
  type SeverityMetrics,
  type TestMetrics,
} from '../../../domain/evidence/evidence.js';
import { isTestKind } from '../../../domain/evidence/evidence-status.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { createMessageList, formatOverflow } from '../formats/bounded-list.js';
import { findNestedFailures, findStatedFailures } from './stated-failures.js';
import { readStatedPercentages, normalizeName, toCount, toMembers, toPercent } from './stated-percentages.js';
import { isMembers, type Members } from '../parsing/upload-body.js';

const TEST_COUNTS = ['total', 'passed', 'failed', 'skipped'] as const;
const PERCENTAGES = ['line_percent', 'branch_percent'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly (keyof SeverityMetrics)[];

/** Other words for severities. They add to them. */
const SEVERITY_NAMES: ReadonlyMap<string, keyof SeverityMetrics> = new Map([
  ['blocker', 'critical'],
  ['severe', 'high'],
  ['important', 'high'],
  ['major', 'high'],
  ['moderate', 'medium'],
  ['warning', 'medium'],
  ['warnings', 'medium'],
  ['unknown', 'medium'],
  ['undefined', 'medium'],
  ['unrated', 'medium'],
  ['minor', 'low'],
  ['info', 'low'],
  ['informational', 'low'],
  ['negligible', 'low'],
  ['note', 'low'],
  ['notes', 'low'],
]);

/** The metrics that an upload states. */
export interface StatedMetrics {
  /** The known numbers. Other members are stored unchanged. */
  readonly understood: EvidenceMetrics;
  /** The failures that are stated for one kind, besides its numbers. A kind without any is missing. */
  readonly failures: ReadonlyMap<EvidenceKind, readonly string[]>;
  /** The failures that are stated for the whole upload. */
  readonly shared: readonly string[];
  /** Contradictions, as sentences. */
  readonly flags: readonly string[];
}

/**
 * Reads the stated metrics. If they can be read in two ways, the worse reading counts. Throws `unprocessable` for a value that
 * is not possible.
 */
export function readStatedMetrics(metrics: Members): StatedMetrics {
  refuseVariants(metrics, 'metrics', EVIDENCE_KINDS);
  const reader = new StatedMetricsReader();
  for (const kind of EVIDENCE_KINDS) if (Object.hasOwn(metrics, kind)) reader.kind(kind, metrics[kind]);
  const { sentences, counted } = findStatedFailures(metrics, 'metrics', new Set(EVIDENCE_KINDS));
  const { understood, failures, flags } = reader;
  return { understood, failures, shared: bounded([...sentences, ...counted]), flags };
}

class StatedMetricsReader {
  readonly understood: { -readonly [K in keyof EvidenceMetrics]: EvidenceMetrics[K] } = {};
  readonly failures = new Map<EvidenceKind, readonly string[]>();
  readonly flags: string[] = [];

  kind(kind: EvidenceKind, value: unknown): void {
    const path = `metrics.${kind}`;
    if (isTestKind(kind)) this.understood[kind] = this.tests(kind, toMembers(path, value));
    else if (kind === 'coverage') this.understood[kind] = this.coverage(toMembers(path, value));
    else if (isMeasured(kind)) this.understood[kind] = this.severities(kind, toMembers(path, value));
    // The other kinds may have any value.
    else if (isMembers(value)) this.fail(kind, this.statements(kind, value, new Set()));
  }

  private tests(kind: EvidenceKind, members: Members): TestMetrics {
    const path = `metrics.${kind}`;
    refuseVariants(members, path, TEST_COUNTS);
    const stated = findStatedFailures(members, path, new Set(TEST_COUNTS));
    const passed = toCount(`${path}.passed`, members['passed']);
    const own = toCount(`${path}.failed`, members['failed']);
    const skipped = members['skipped'] === undefined ? 0 : toCount(`${path}.skipped`, members['skipped']);
    if (stated.failed > own) this.flags.push(`${path}: ${stated.counted.join(' ')} failed is ${own}.`);
    const counted = Math.max(own, stated.failed) + stated.errors;
    const sum = passed + counted + skipped;
    const total = members['total'] === undefined ? sum : toCount(`${path}.total`, members['total']);
    const parts = `${passed} passed, ${counted} failed (errors included) and ${skipped} skipped`;
    if (total < sum) {
      throw new DomainError(
        'unprocessable',
        `${path}.total is ${total}, but ${parts} are ${sum}. Errors must not be in failed if they have their own member.`,
      );
    }
    if (total > sum) this.flags.push(`${path}: ${parts} are not ${total}; the others count as failed.`);
    const failed = counted + (total - sum);
    const nested = findNestedFailures(members, path);
    this.fail(kind, [...stated.sentences, ...(nested.most > failed ? nested.sentences : [])]);
    return { total, passed, failed, skipped };
  }

  private coverage(members: Members): CoverageMetrics {
    const path = 'metrics.coverage';
    refuseVariants(members, path, PERCENTAGES);
    this.fail('coverage', this.statements('coverage', members, new Set(PERCENTAGES)));
    const { flags, ...others } = readStatedPercentages(members, path);
    this.flags.push(...flags);
    const percent = (name: (typeof PERCENTAGES)[number], all: readonly number[]): number | null => {
      const stated = toPercent(`${path}.${name}`, members[name]);
      return stated === null ? null : this.lowest(`${path}: ${name}`, stated, all);
    };
    return {
      line_percent: percent('line_percent', others.line),
      branch_percent: percent('branch_percent', others.branch),
    };
  }

  /** Returns the lowest of all percentages, with a flag if it is not the stated one. */
  private lowest(name: string, stated: number, others: readonly number[]): number {
    const lowest = others.reduce((least, other) => Math.min(least, other), stated);
    if (lowest < stated) this.flags.push(`${name} is ${stated}, but other members state ${lowest}.`);
    return lowest;
  }

  private severities(kind: EvidenceKind, members: Members): SeverityMetrics {
    const path = `metrics.${kind}`;
    refuseVariants(members, path, SEVERITIES);
    const counts = { critical: 0, high: 0, medium: 0, low: 0 };
    for (const severity of SEVERITIES) counts[severity] = toCount(`${path}.${severity}`, members[severity]);
    for (const [name, value] of Object.entries(members)) {
      const severity = SEVERITY_NAMES.get(normalizeName(name));
      if (severity === undefined) continue;
      const count = toCount(`${path}.${name}`, value);
      if (count > 0) this.flags.push(`${path}: ${count} ${name} count as ${severity}.`);
      counts[severity] += count;
    }
    const sum = SEVERITIES.reduce((all, severity) => all + counts[severity], 0);
    const total = members['total'] === undefined ? sum : toCount(`${path}.total`, members['total']);
    const unrated = total > sum ? [`${path}.total is ${total}, but only ${sum} have a severity.`] : [];
    if (total < sum) this.flags.push(`${path}: total is ${total}, but ${sum} have a severity.`);
    this.fail(kind, [...this.statements(kind, members, new Set(SEVERITIES)), ...unrated]);
    return counts;
  }

  /** Returns the failures that the members of a kind state that counts no tests. */
  private statements(kind: EvidenceKind, members: Members, known: ReadonlySet<string>): readonly string[] {
    const path = `metrics.${kind}`;
    const { sentences, counted } = findStatedFailures(members, path, known);
    return [...sentences, ...counted, ...findNestedFailures(members, path).sentences];
  }

  private fail(kind: EvidenceKind, sentences: readonly string[]): void {
    if (sentences.length > 0) this.failures.set(kind, bounded(sentences));
  }
}

/** The sentences are stored and shown, so a few of them are enough. */
function bounded(sentences: readonly string[]): readonly string[] {
  const list = createMessageList();
  for (const sentence of sentences) list.add(sentence);
  return list.withRest(formatOverflow);
}

/** Throws for a name that differs from a known one in case and separators only. It would state the same thing again. */
function refuseVariants(members: Members, path: string, known: readonly string[]): void {
  const byName = new Map(known.map((name) => [normalizeName(name), name]));
  for (const name of Object.keys(members)) {
    const meant = byName.get(normalizeName(name));
    if (meant !== undefined && meant !== name) {
      throw new DomainError('unprocessable', `${path}.${name.slice(0, 100)} must be written as ${meant}.`);
    }
  }
}
