import type { EvidenceMetrics } from '../../../../domain/evidence/evidence.js';
import type { CategoryName } from '../../../../domain/quality/score-category.js';
import type { Grade } from '../../../../domain/quality/scorecard.js';
import { type Html, html } from '../../../../http/html.js';
import { isoMoment } from '../../../../export/iso-timestamp.js';

/** Isolates user input, so that right-to-left text does not change the text around it. */
export const isolateText = (text: string): Html => html`<bdi>${text}</bdi>`;

export const CATEGORY_TITLES: Readonly<Record<CategoryName, string>> = {
  tests: 'Tests',
  coverage: 'Coverage',
  sast: 'Static analysis',
  vulnerabilities: 'Vulnerabilities',
  completeness: 'Completeness',
};

/** The text for a missing value. An empty cell could look like an error. */
export const NONE = '–';

const GRADE_CLASSES: Readonly<Record<Grade, string>> = { A: 'good', B: 'good', C: 'fair', D: 'bad', F: 'bad' };

/** Builds the grade. The color only repeats the letter. */
export const gradeMark = (grade: Grade | null): Html =>
  grade === null
    ? html`<span class="quiet">not scored</span>`
    : html`<span class="grade ${GRADE_CLASSES[grade]}">${grade}</span>`;

export const formatScore = (score: number | null): string => (score === null ? NONE : score.toFixed(1));

export const formatCount = (count: number): string => count.toLocaleString('en');

/** Formats points with their sign, with the typographic minus. */
export function formatChange(points: number | null): string {
  if (points === null) return NONE;
  const size = Math.abs(points).toFixed(1);
  if (Number(size) === 0) return '±0.0';
  return points < 0 ? `−${size}` : `+${size}`;
}

export const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Formats hours and minutes in UTC. */
export const formatTime = (at: Date): string => at.toISOString().slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length);

/** Formats a timestamp in UTC, to the minute. */
export function formatTimestamp(at: Date): Html {
  const moment = isoMoment(at);
  const end = moment.indexOf('T');
  const time = moment.slice(end + 1, end + 1 + 'hh:mm'.length);
  return html`<time datetime="${moment}">${moment.slice(0, end)} ${time}</time>`;
}

/** Formats a day for a sentence, such as 21 November 2026. */
export const formatDay = (at: Date): string =>
  at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

export const pluralize = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const TEST_FIELDS = ['total', 'passed', 'failed', 'skipped', 'flaky'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** Formats the metrics of an evidence item in one line. CI states the metrics, so a value may not be a number. */
export function formatMetrics({
  unit_tests,
  integration_tests,
  e2e_tests,
  coverage,
  sast_scan,
  security,
}: EvidenceMetrics): string {
  const tests = unit_tests ?? integration_tests ?? e2e_tests;
  const findings = sast_scan ?? security;
  const parts = [
    ...TEST_FIELDS.map((field) => counted(tests?.[field], field === 'total' ? 'tests' : field)),
    percented('line', coverage?.line_percent),
    percented('branch', coverage?.branch_percent),
    ...SEVERITIES.map((severity) => counted(findings?.[severity], severity)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? NONE : parts.join(', ');
}

const counted = (count: unknown, name: string): string | null =>
  typeof count === 'number' && Number.isFinite(count) ? `${formatCount(count)} ${name}` : null;

const percented = (name: string, percent: unknown): string | null =>
  typeof percent === 'number' && Number.isFinite(percent) ? `${name} ${percent.toFixed(1)} %` : null;
