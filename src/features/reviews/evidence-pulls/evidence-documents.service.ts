/** Builds the files and the text of an evidence pull request: a page for users and a JSON document for programs. */
import { Injectable } from '@nestjs/common';
import { canonicalJson, type JsonObject } from '../../../domain/audit/canonical-json.js';
import type { NamedDigest } from '../../../domain/artifact/required-artifacts.js';
import type { EffectiveEvidenceSet } from '../../../domain/evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../../../domain/evidence/evidence.js';
import { evidenceFailures, getTestMetrics } from '../../../domain/evidence/evidence-status.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { AppliedOverride } from '../../../domain/override/override.js';
import {
  minApprovals,
  type QualityGates,
  type ReviewerRequirement,
  type SeverityLimits,
} from '../../../domain/policy/policy.js';
import { coverageGate, effectiveLinePercent, severityGate } from '../../../domain/quality/quality-gates.js';
import type { Condition } from '../../../domain/facts/condition.js';
import { cutMarkdown, gfm, joined, lines, link, type Markdown, tableRow } from '../../../github/markdown.js';
import type { StoredReportFile } from '../../evidence/evidence.queries.js';
import { SigningService, type Signer } from '../../signing/signing.service.js';

const NO_LIMITS: SeverityLimits = { maxCritical: null, maxHigh: null, maxMedium: null, maxLow: null };
const SEVERITIES = [
  ['critical', 'maxCritical'],
  ['high', 'maxHigh'],
  ['medium', 'maxMedium'],
  ['low', 'maxLow'],
] as const;

/** Builds a table row for each limit of the policy, with the limit and the measured value. Empty if the policy sets none. */
function qualityGateRows(
  { coverage, sastScan, security }: QualityGates,
  set: EffectiveEvidenceSet,
  predecessorLinePercent: number | null,
): readonly Markdown[] {
  return [
    ...minimumCoverage(coverage.minLinePercent, set),
    ...coverageDrop(coverage.maxDrop, set, predecessorLinePercent),
    ...findings('sast_scan', sastScan, set),
    ...findings('security', security, set),
  ];
}

function minimumCoverage(minLinePercent: number | null, set: EffectiveEvidenceSet): readonly Markdown[] {
  if (minLinePercent === null) return [];
  const groups = set.filter(({ kind }) => kind === 'coverage');
  const least = Math.min(...groups.map((group) => effectiveLinePercent([group]) ?? 0));
  const unmet = coverageGate({ minLinePercent, maxDrop: null }, set, null);
  return [
    gateRow(gfm`line coverage of each pipeline`, gfm`at least ${minLinePercent} %`, gfm`${round(least)} %`, unmet),
  ];
}

function coverageDrop(maxDrop: number | null, set: EffectiveEvidenceSet, before: number | null): readonly Markdown[] {
  if (maxDrop === null) return [];
  const found =
    before === null
      ? gfm`no release with a measured value was shipped before`
      : gfm`${round(effectiveLinePercent(set) ?? 0)} %, and ${round(before)} % before`;
  const unmet = coverageGate({ minLinePercent: null, maxDrop }, set, before);
  return [
    gateRow(gfm`drop of line coverage since the last shipped release`, gfm`at most ${maxDrop} points`, found, unmet),
  ];
}

function findings(
  kind: 'sast_scan' | 'security',
  limits: SeverityLimits,
  set: EffectiveEvidenceSet,
): readonly Markdown[] {
  const items = set.filter((group) => group.kind === kind).flatMap((group) => group.items);
  return SEVERITIES.flatMap(([severity, limit]) => {
    const allowed = limits[limit];
    if (allowed === null) return [];
    const found = items.reduce((sum, { metrics }) => sum + (metrics[kind]?.[severity] ?? 0), 0);
    const unmet = severityGate(kind, { ...NO_LIMITS, [limit]: allowed }, set);
    return [gateRow(gfm`${severity} findings of ${kind}`, gfm`at most ${allowed}`, gfm`${found}`, unmet)];
  });
}

/** If the gate is not met, the row shows the details of its conditions. */
const gateRow = (gate: Markdown, limit: Markdown, found: Markdown, unmet: readonly Condition[]): Markdown =>
  tableRow([
    gate,
    limit,
    unmet.length === 0
      ? found
      : gfm`**Not met:** ${joined(
          unmet.map(({ detail }) => gfm`${detail}`),
          gfm` `,
        )}`,
  ]);

const round = (percent: number): number => Math.round(percent * 100) / 100;

export interface EvidenceContent {
  readonly repository: string;
  /** The page of the repository on GitHub. */
  readonly repositoryUrl: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly policyDigest: string;
  readonly setDigest: string;
  readonly set: EffectiveEvidenceSet;
  /** The artifacts that the policy names and accepts. An approval is an approval of these digests. */
  readonly artifacts: readonly NamedDigest[];
  /** Whether everything passes. False if anything passes only by a waiver. */
  readonly testsPassing: boolean;
  readonly waivers: readonly Pick<
    AppliedOverride,
    'reason' | 'requestedBy' | 'confirmedBy' | 'expiresAt' | 'conditions'
  >[];
  readonly qualityGates: QualityGates;
  /** Line coverage of the last shipped release, in percent; null if there is none. */
  readonly predecessorLinePercent: number | null;
  /** The number of earlier evidence pull requests of the release. It makes the files of each one different. */
  readonly revision: number;
  readonly requiredReviewers: readonly ReviewerRequirement[];
  readonly runUrls: ReadonlyMap<string, string>;
  /** By the id of the evidence item. */
  readonly files: ReadonlyMap<string, readonly StoredReportFile[]>;
}

const EVIDENCE_FILES = (version: string): { readonly page: string; readonly data: string } => ({
  page: `.releases/${version}/EVIDENCE.md`,
  data: `.releases/${version}/evidence.json`,
});

/**
 * Builds `evidence.json`: each item with its files, the candidate, and the digests of the policy and of the evidence set, signed
 * over the canonical JSON (RFC 8785) of all other members. The same content with the same key gives the same text.
 */
export function evidenceJson(content: EvidenceContent, signer: Signer): string {
  const { repository, version, revision, candidateSha, policyDigest, setDigest, set, artifacts, files } = content;
  const document = {
    schema: 'shipgate.evidence.v1',
    repository,
    version,
    revision,
    candidate: candidateSha,
    policy: { sha256: policyDigest },
    set: { sha256: setDigest },
    // Without artifacts the document is the one from before they existed.
    ...(artifacts.length > 0 && { artifacts: artifacts.map(({ name, digest }) => ({ name, digest })) }),
    evidence: set.flatMap(({ items, flaky }) =>
      items.map((item) => ({
        id: item.id,
        kind: item.kind,
        environment: item.environment,
        pipeline: item.pipeline,
        job: item.job ?? '',
        run: item.run && { id: item.run.id, attempt: item.attempt },
        commit: item.commitSha,
        sha256: item.sha256,
        files: files.get(item.id) ?? [],
        metrics: item.metrics,
        flaky,
        receivedAt: item.receivedAt.toISOString(),
      })),
    ),
  };
  // The signature covers the document as a reader parses it, without the members that JSON omits.
  const signed = canonicalJson(JSON.parse(JSON.stringify(document)) as JsonObject);
  const signature = { algorithm: 'Ed25519', keyId: signer.keyId, value: signer.sign(Buffer.from(signed)) };
  return `${JSON.stringify({ ...document, signature }, null, 2)}\n`;
}

/**
 * Builds `EVIDENCE.md`: the verdict, the quality gates, the evidence and its runs. The text may be cut at the end, so the least
 * important part comes last.
 */
export function evidencePage(content: EvidenceContent): Markdown {
  const { repository, version, candidateSha, set, setDigest, policyDigest, testsPassing } = content;
  return lines([
    gfm`# Evidence for ${version}`,
    gfm``,
    gfm`Release ${version} of ${repository}, candidate ${candidateSha}.`,
    testsPassing
      ? gfm`Every required check, every evidence item and every quality gate passes at this commit.`
      : gfm`**Not everything passes at this commit.** Admins have waived these conditions:`,
    ...waiverLines(content),
    gfm``,
    ...qualityGateTable(content),
    gfm``,
    tableRow([gfm`evidence`, gfm`environment`, gfm`pipeline`, gfm`result`, gfm`run`]),
    gfm`| --- | --- | --- | --- | --- |`,
    ...set.flatMap((group) => group.items.map((item) => row(content, item, group.flaky))),
    gfm``,
    ...artifactTable(content),
    gfm`Approving this pull request approves exactly this evidence for exactly this commit. New evidence or another`,
    gfm`candidate rewrites the branch, and then the approvals do not count any more.`,
    gfm``,
    gfm`${'evidence.json'} next to this file lists every file of these rows with the SHA-256 of its bytes.`,
    gfm``,
    gfm`Set ${setDigest} · policy ${policyDigest}`,
    gfm``,
  ]);
}

function artifactTable({ artifacts }: EvidenceContent): readonly Markdown[] {
  if (artifacts.length === 0) return [];
  const rows = artifacts.map(({ name, digest }) => tableRow([gfm`${name}`, gfm`${digest}`]));
  return [tableRow([gfm`artifact`, gfm`digest`]), gfm`| --- | --- |`, ...rows, gfm``];
}

/** Shows the waivers at the time of writing. When a waiver expires later, the gate closes without a change of this page. */
function waiverLines({ waivers, testsPassing }: EvidenceContent): readonly Markdown[] {
  if (waivers.length === 0) return [];
  return [
    ...(testsPassing ? [gfm`Admins have waived these other conditions:`] : []),
    gfm``,
    ...waivers.flatMap(({ reason, requestedBy, confirmedBy, expiresAt, conditions }) =>
      conditions.map(
        ({ detail }) =>
          gfm`- ${detail} Waived by ${requestedBy.login} and ${confirmedBy.login} until ${expiresAt.toISOString()}: ${reason}`,
      ),
    ),
  ];
}

function qualityGateTable({ qualityGates, set, predecessorLinePercent }: EvidenceContent): readonly Markdown[] {
  const rows = qualityGateRows(qualityGates, set, predecessorLinePercent);
  if (rows.length === 0) return [gfm`The policy sets no quality gates.`];
  return [tableRow([gfm`quality gate`, gfm`limit`, gfm`result`]), gfm`| --- | --- | --- |`, ...rows];
}

/** GitHub rejects a longer body: "body is too long (maximum is 65536 characters)". */
const MAX_BODY_BYTES = 65_536;

/** Builds the body of the pull request. If the page is too long, it contains the beginning and a link to the whole page. */
export function pullBody(content: EvidenceContent, sha: Sha): Markdown {
  const { requiredReviewers, repositoryUrl, version } = content;
  const approvals =
    minApprovals(requiredReviewers) === 0
      ? gfm`Merging this pull request approves the release.`
      : gfm`${joined(requiredReviewers.map(neededReviews), gfm` `)} Merging is optional: it keeps the record in the repository.`;
  const { page, data } = EVIDENCE_FILES(version);
  const ending = gfm`\n---\n\n${approvals}\n\nFiles: ${page}, ${data}\n`;
  const whole = link(gfm`all of it`, `${repositoryUrl}/blob/${sha}/${page}`);
  const rest = gfm`**This is only the beginning.** The whole text is too long for GitHub. Read ${whole} before you approve.\n`;
  return gfm`${cutMarkdown(evidencePage(content), MAX_BODY_BYTES - Buffer.byteLength(ending.text), rest)}${ending}`;
}

const neededReviews = ({ minApprovals: count, source }: ReviewerRequirement): Markdown =>
  gfm`${count} approving ${count === 1 ? gfm`review is` : gfm`reviews are`} needed${source === 'organization' ? gfm`, as the organization requires` : null}.`;

function row(content: EvidenceContent, item: EvidenceItem, flaky: boolean): Markdown {
  const result = gfm`${toResult(item)}${flaky ? gfm` (flaky: failed before at this commit)` : null}`;
  const job = item.job === null ? null : gfm` / ${item.job}`;
  return tableRow([
    gfm`${item.kind}`,
    gfm`${item.environment}`,
    gfm`${item.pipeline}${job}`,
    result,
    toCiRun(content, item),
  ]);
}

function toResult(item: EvidenceItem): Markdown {
  const failures = evidenceFailures(item);
  if (failures.length > 0) return gfm`${failures.join('; ')}`;
  const tests = getTestMetrics(item);
  if (tests) return gfm`${tests.passed} passed, ${tests.skipped} skipped`;
  const { coverage, sast_scan: sast, security } = item.metrics;
  if (item.kind === 'coverage' && coverage) return gfm`${coverage.line_percent?.toFixed(1) ?? '–'} % of lines`;
  const findings = item.kind === 'sast_scan' ? sast : item.kind === 'security' ? security : undefined;
  if (!findings) return gfm`present`;
  return gfm`${findings.critical} critical, ${findings.high} high, ${findings.medium} medium, ${findings.low} low`;
}

/** Links only to runs of the release's own repository. Any other URL is not verified and is shown as text. */
function toCiRun({ repositoryUrl, runUrls }: EvidenceContent, { id, run }: EvidenceItem): Markdown {
  const url = runUrls.get(id);
  const [, runId, attempt] = (url?.startsWith(`${repositoryUrl}/`) && RUN.exec(url.slice(repositoryUrl.length))) || [];
  if (url === undefined || runId === undefined) return gfm`${url ?? run?.id ?? '–'}`;
  const again = attempt === undefined || attempt === '1' ? null : gfm`, attempt ${Number(attempt)}`;
  return link(gfm`run ${runId}${again}`, url);
}

/** The path of a run, relative to the URL of the repository. */
const RUN = /^\/actions\/runs\/(\d{1,19})(?:\/attempts\/(\d{1,16}))?$/;

/** A file of an evidence pull request. */
export interface EvidenceFile {
  readonly path: string;
  readonly content: string;
}

/** Builds the files of an evidence pull request, signed with the current key. */
@Injectable()
export class EvidenceDocumentsService {
  constructor(private readonly signing: SigningService) {}

  async compose(content: EvidenceContent): Promise<readonly EvidenceFile[]> {
    const paths = EVIDENCE_FILES(content.version);
    return [
      { path: paths.page, content: evidencePage(content).text },
      { path: paths.data, content: evidenceJson(content, await this.signing.getSigner()) },
    ];
  }
}
