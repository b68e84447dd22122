import type { JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import { worseSeverity, type Severity } from './finding-list.js';

/** SARIF 2.1.0, § 3.27.10, the least severe first. */
export const SARIF_LEVELS = ['none', 'note', 'warning', 'error'] as const;
export type SarifLevel = (typeof SARIF_LEVELS)[number];

const BY_LEVEL: Readonly<Record<SarifLevel, Severity | null>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: null,
};

/** The level of a rule that states none (SARIF 2.1.0, § 3.50.3). */
export const DEFAULT_LEVEL: SarifLevel = 'warning';

export const worseLevel = (one: SarifLevel, other: SarifLevel): SarifLevel =>
  SARIF_LEVELS.indexOf(one) >= SARIF_LEVELS.indexOf(other) ? one : other;

/** A `security-severity`: a number of at least 0, `unreadable`, or null if there is none. */
export type SarifScore = number | 'unreadable' | null;

const NAMED_SCORES: ReadonlyMap<string, number> = new Map([
  ['critical', 9],
  ['high', 7],
  ['medium', 4],
  ['moderate', 4],
]);

/**
 * Reads `security-severity` of a property bag: a decimal as a string (GitHub's convention) or a number. Some tools write
 * `undefined` or a word. This is no fault of the file, because a finding that is lost would be worse.
 */
export function readScore(owner: JsonMembers, path: JsonPath, json: JsonDocument): SarifScore {
  const value = json.optionalObject(owner['properties'], [...path, 'properties'])['security-severity'];
  if (value === undefined || value === null || value === '') return null;
  const isText = typeof value === 'string' && value.trim() !== '';
  const score = isText ? (NAMED_SCORES.get(value.trim().toLowerCase()) ?? Number(value)) : value;
  return typeof score === 'number' && score >= 0 ? score : 'unreadable';
}

/** What one rule, or several rules that a result may mean, say about its severity. */
export interface RuleReading {
  /** The highest readable score; null if there is none. */
  readonly score: number | null;
  readonly hasUnreadableScore: boolean;
  /** The worst level of a rule without a readable score; null if there is no such rule. */
  readonly unscoredLevel: SarifLevel | null;
  /** Whether the rules lead to different severities. */
  readonly differs: boolean;
}

/** Returns the reading of one rule with its own level and the one that an invocation gives to it. */
export const toReading = (score: SarifScore, level: SarifLevel, override = level): RuleReading => ({
  score: typeof score === 'number' ? score : null,
  hasUnreadableScore: score === 'unreadable',
  unscoredLevel: typeof score === 'number' ? null : worseLevel(level, override),
  differs: typeof score !== 'number' && level !== override,
});

/** The reading of a rule that the run does not describe. */
export const NO_RULE = toReading(null, DEFAULT_LEVEL);

/** Returns the worst of several readings. There is at least one. */
export const mergeReadings = (readings: readonly RuleReading[]): RuleReading =>
  readings.reduce((one, other) => ({
    score: one.score === null || other.score === null ? (one.score ?? other.score) : Math.max(one.score, other.score),
    hasUnreadableScore: one.hasUnreadableScore || other.hasUnreadableScore,
    unscoredLevel:
      one.unscoredLevel === null || other.unscoredLevel === null
        ? (one.unscoredLevel ?? other.unscoredLevel)
        : worseLevel(one.unscoredLevel, other.unscoredLevel),
    differs: one.differs || other.differs || toSeverity(null, null, one) !== toSeverity(null, null, other),
  }));

/**
 * Returns the worst severity of a result with its own score and level (null if it states none). A score has priority over the
 * levels. One that cannot be read is medium, or worse if the level is. Null for the level `none`.
 */
export function toSeverity(own: SarifScore, level: SarifLevel | null, rule: RuleReading): Severity | null {
  const ofLevel = BY_LEVEL[level ?? rule.unscoredLevel ?? DEFAULT_LEVEL];
  const found: (Severity | null)[] = [own, rule.score].filter((score) => typeof score === 'number').map(byScore);
  if (typeof own !== 'number' && rule.unscoredLevel !== null) found.push(ofLevel);
  if (own === 'unreadable' || rule.hasUnreadableScore) found.push('medium', ofLevel);
  const severities = found.filter((severity) => severity !== null);
  return severities.length === 0 ? null : severities.reduce(worseSeverity);
}

/** Whether a result can be read with different severities: by its own score and that of its rule, or by several rules. */
export function isAmbiguous(own: SarifScore, level: SarifLevel | null, rule: RuleReading): boolean {
  if (typeof own === 'number') return rule.score !== null && byScore(own) !== byScore(rule.score);
  // A level of the result replaces those of its rules.
  return rule.differs && (level === null || rule.score !== null);
}

/** The ranges of `security-severity` in GitHub code scanning. */
function byScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}
