import type { DecidingSet } from '../../../domain/evidence/deciding-set.js';
import type { QualityGates, SeverityLimits } from '../../../domain/policy/policy.js';
import { coverageGate, linePercentOf, severityGate } from '../../../domain/quality/quality-gates.js';
import type { Condition } from '../../../domain/release/stage.js';
import { gfm, joined, tableRow, type Markdown } from '../../../github/markdown.js';

const NO_LIMITS: SeverityLimits = { maxCritical: null, maxHigh: null, maxMedium: null, maxLow: null };
const SEVERITIES = [
  ['critical', 'maxCritical'],
  ['high', 'maxHigh'],
  ['medium', 'maxMedium'],
  ['low', 'maxLow'],
] as const;

/** A row for each limit that the policy sets: what it is, and what the evidence says. Empty where it sets none. */
export function qualityGateRows(
  { coverage, sastScan, security }: QualityGates,
  set: DecidingSet,
  predecessorLinePercent: number | null,
): readonly Markdown[] {
  return [
    ...leastCoverage(coverage.minLinePercent, set),
    ...coverageDrop(coverage.maxDrop, set, predecessorLinePercent),
    ...findings('sast_scan', sastScan, set),
    ...findings('security', security, set),
  ];
}

function leastCoverage(minLinePercent: number | null, set: DecidingSet): readonly Markdown[] {
  if (minLinePercent === null) return [];
  const slots = set.filter(({ kind }) => kind === 'coverage');
  const least = Math.min(...slots.map((slot) => linePercentOf([slot]) ?? 0));
  const unmet = coverageGate({ minLinePercent, maxDrop: null }, set, null);
  return [row(gfm`line coverage of each pipeline`, gfm`at least ${minLinePercent} %`, gfm`${shown(least)} %`, unmet)];
}

function coverageDrop(maxDrop: number | null, set: DecidingSet, before: number | null): readonly Markdown[] {
  if (maxDrop === null) return [];
  const found =
    before === null
      ? gfm`nothing was shipped before that measured it`
      : gfm`${shown(linePercentOf(set) ?? 0)} %, and ${shown(before)} % before`;
  const unmet = coverageGate({ minLinePercent: null, maxDrop }, set, before);
  return [row(gfm`drop of line coverage since the last shipped release`, gfm`at most ${maxDrop} points`, found, unmet)];
}

function findings(kind: 'sast_scan' | 'security', limits: SeverityLimits, set: DecidingSet): readonly Markdown[] {
  const pieces = set.filter((slot) => slot.kind === kind).flatMap((slot) => slot.pieces);
  return SEVERITIES.flatMap(([severity, limit]) => {
    const allowed = limits[limit];
    if (allowed === null) return [];
    const found = pieces.reduce((sum, { metrics }) => sum + (metrics[kind]?.[severity] ?? 0), 0);
    const unmet = severityGate(kind, { ...NO_LIMITS, [limit]: allowed }, set);
    return [row(gfm`${severity} findings of ${kind}`, gfm`at most ${allowed}`, gfm`${found}`, unmet)];
  });
}

/** Where the gate does not hold, that is said in the words of its conditions. */
const row = (gate: Markdown, limit: Markdown, found: Markdown, unmet: readonly Condition[]): Markdown =>
  tableRow([
    gate,
    limit,
    unmet.length === 0
      ? found
      : gfm`**Does not hold:** ${joined(
          unmet.map(({ detail }) => gfm`${detail}`),
          gfm` `,
        )}`,
  ]);

const shown = (percent: number): number => Math.round(percent * 100) / 100;
