import {
  isMeasured,
  type CoverageMetrics,
  type EvidenceKind,
  type EvidencePiece,
  type Metrics,
  type SeverityMetrics,
  type TestMetrics,
} from '../../../domain/evidence/evidence.js';
import { groupBy } from '../../../domain/evidence/latest-run.js';
import type { PackedRoll } from '../../../domain/quality/packed-roll.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { percentOf, type Counts } from '../formats/coverage-counts.js';
import type { ParsedReport } from '../formats/formats.js';
import { NO_TESTS, type ReadFile, type UploadedFile } from '../parsing/report-parsing.js';
import { readDeclaredMetrics } from './declared-metrics.js';
import { saysSomething } from './says-something.js';
import type { KeptDocument } from './upload-body.js';

/** What was uploaded, before any of it is believed. */
export interface UploadedContent {
  readonly kind: EvidenceKind | undefined;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly reports: readonly KeptDocument[];
  readonly files: readonly UploadedFile[];
}

export interface StoredReport {
  readonly name: string;
  readonly format: string;
  readonly content: Blocks;
  readonly sha256: string;
  /** What people see first; empty for what is kept without being read. */
  readonly summary: unknown;
  /** The tests that the report tells of, which are too much for the summary. */
  readonly roll: PackedRoll;
}

/** A piece as it is kept with its upload, whose other members it shares. */
export type NewPiece = Pick<EvidencePiece, 'kind' | 'metrics' | 'failures' | 'content'>;

/** What the service makes of an upload. */
export interface ReadContent {
  readonly pieces: readonly NewPiece[];
  readonly reports: readonly StoredReport[];
  readonly flags: readonly string[];
}

/** Puts together what an upload states and what its files say, once they are read. */
export function evaluateUpload(upload: Omit<UploadedContent, 'files'>, files: readonly ReadFile[]): ReadContent {
  const declared = readDeclaredMetrics(upload.metrics);
  const flags = [...declared.flags];
  const parsed: Omit<ParsedReport, 'roll'>[] = [];
  const reports: StoredReport[] = [];
  for (const { filename, content, sha256: digest, report, roll } of files) {
    if ('kind' in report) {
      parsed.push(report);
      flags.push(...report.notes.map((note) => `${filename}: ${note}`));
    }
    const summary = 'kind' in report ? report : null;
    reports.push({ name: filename, format: report.format, content, sha256: digest, summary, roll });
  }
  // Documents for people: never a verdict.
  for (const { name, format, content, sha256 } of upload.reports) {
    reports.push({ name, format, content, sha256, summary: null, roll: NO_TESTS });
  }

  const pieces = new Map<EvidenceKind, NewPiece>();
  for (const group of groupBy(parsed, ({ kind }) => kind).values()) {
    const [{ kind }] = group;
    pieces.set(kind, {
      kind,
      metrics: isMeasured(kind) ? { [kind]: sumOf(kind, group) } : {},
      failures: group.flatMap(({ failures }) => failures),
      content: isMeasured(kind) ? group.length : group.reduce((sum, { components = 0 }) => sum + components, 0),
    });
  }
  for (const kind of measuredKinds(declared.understood)) {
    const fromFiles = pieces.get(kind);
    if (!fromFiles) {
      pieces.set(kind, { kind, metrics: { [kind]: declared.understood[kind] }, failures: [], content: 1 });
    }
    if (fromFiles && disagrees(declared.understood[kind], fromFiles.metrics[kind])) {
      flags.push(`metrics.${kind} disagrees with the uploaded reports, which count.`);
    }
  }
  if (pieces.size === 0) {
    const kind = upload.kind ?? 'custom';
    // A bill of materials is one by its components alone, and those of a parsed document made a piece above.
    pieces.set(kind, { kind, metrics: {}, failures: [], content: kind === 'sbom' ? 0 : statedContent(upload, files) });
  }
  return { pieces: [...pieces.values()], reports, flags };
}

/** How many files, reports and metrics are not empty. */
const statedContent = ({ reports, metrics }: Omit<UploadedContent, 'files'>, files: readonly ReadFile[]): number =>
  files.filter(({ content }) => content.some((block) => saysSomething(new TextDecoder().decode(block)))).length +
  reports.filter(({ isBlank }) => !isBlank).length +
  Object.values(metrics).filter(saysSomething).length;

const measuredKinds = (metrics: Metrics): readonly (keyof Metrics)[] =>
  (Object.keys(metrics) as (keyof Metrics)[]).filter((kind) => metrics[kind] !== undefined);

/** Reports of one kind in one upload speak together. */
function sumOf(kind: keyof Metrics, reports: readonly Pick<ParsedReport, 'metrics'>[]): Metrics[keyof Metrics] {
  const all = reports.map(({ metrics }) => metrics[kind]).filter((metrics) => metrics !== undefined);
  if (all.length === 1) return all[0];
  if (kind === 'coverage') return sumCoverage(all as CoverageMetrics[]);
  const names = kind === 'sast_scan' || kind === 'security' ? SEVERITY_COUNTS : TEST_COUNTS;
  const counts = all as unknown as readonly Readonly<Record<string, number | undefined>>[];
  return Object.fromEntries(
    names.map((name) => [name, counts.reduce((sum, count) => sum + (count[name] ?? 0), 0)]),
  ) as unknown as TestMetrics | SeverityMetrics;
}

const TEST_COUNTS = ['total', 'passed', 'failed', 'skipped', 'flaky'] as const satisfies readonly (keyof TestMetrics)[];
const SEVERITY_COUNTS = ['critical', 'high', 'medium', 'low'] as const satisfies readonly (keyof SeverityMetrics)[];

function sumCoverage(all: readonly CoverageMetrics[]): CoverageMetrics {
  const lines = sumCounts(all.map((coverage) => coverage.lines));
  const branches = sumCounts(all.map((coverage) => coverage.branches));
  return {
    line_percent: lines === null ? null : percentOf(lines),
    branch_percent: branches === null ? null : percentOf(branches),
    ...(lines && { lines }),
    ...(branches && { branches }),
  };
}

const sumCounts = (all: readonly (Counts | undefined)[]): Counts | null =>
  all.reduce<Counts | null>(
    (sum, counts) =>
      sum && counts ? { covered: sum.covered + counts.covered, total: sum.total + counts.total } : null,
    { covered: 0, total: 0 },
  );

/** What a client states of what a report counts; what it leaves out is no disagreement. */
function disagrees(stated: Metrics[keyof Metrics], counted: Metrics[keyof Metrics]): boolean {
  const actual = counted as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(stated ?? {}).some(([name, value]) => {
    const count = actual[name];
    if (value === null || typeof count !== 'number') return false;
    return name.endsWith('_percent') ? Math.abs(count - Number(value)) > 0.1 : count !== value;
  });
}
