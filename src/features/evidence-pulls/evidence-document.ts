/** What an evidence pull request puts into the repository: a page for people, and the same for machines. */
import { canonicalJson, type JsonObject } from '../../domain/audit/canonical-json.js';
import type { DecidingSet } from '../../domain/evidence/deciding-set.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';
import { failuresOf, testMetricsOf } from '../../domain/evidence/piece-failures.js';
import type { Sha } from '../../domain/release/facts.js';
import type { Signer } from '../signing/signer.js';

export interface EvidenceContent {
  readonly repository: string;
  readonly version: string;
  readonly candidateSha: Sha;
  readonly policyDigest: string;
  readonly setDigest: string;
  readonly set: DecidingSet;
  /** How many evidence pull requests the release had before: another one never holds the very same files. */
  readonly revision: number;
  readonly approvalsRequired: number;
  readonly runUrls: ReadonlyMap<string, string>;
}

export const EVIDENCE_FILES = (version: string): { readonly page: string; readonly data: string } => ({
  page: `.releases/${version}/EVIDENCE.md`,
  data: `.releases/${version}/evidence.json`,
});

/**
 * `evidence.json`: each piece with its digest, the candidate, and the digests of the policy and of the whole set, signed
 * over the canonical JSON (RFC 8785) of all its other members. The same content under the same key is the same text.
 */
export function evidenceJson(content: EvidenceContent, signer: Signer): string {
  const { repository, version, revision, candidateSha, policyDigest, setDigest, set } = content;
  const document = {
    schema: 'shipgate.evidence.v1',
    repository,
    version,
    revision,
    candidate: candidateSha,
    policy: { sha256: policyDigest },
    set: { sha256: setDigest },
    evidence: set.flatMap(({ pieces, flaky }) =>
      pieces.map((piece) => ({
        id: piece.id,
        kind: piece.kind,
        environment: piece.environment,
        pipeline: piece.pipeline,
        job: piece.job,
        run: piece.run,
        commit: piece.commitSha,
        sha256: piece.sha256,
        metrics: piece.metrics,
        flaky,
        receivedAt: piece.receivedAt.toISOString(),
      })),
    ),
  };
  // As a reader has it: what JSON leaves out is not signed either.
  const signed = canonicalJson(JSON.parse(JSON.stringify(document)) as JsonObject);
  const signature = { algorithm: 'Ed25519', keyId: signer.keyId, value: signer.sign(Buffer.from(signed)) };
  return `${JSON.stringify({ ...document, signature }, null, 2)}\n`;
}

/** `EVIDENCE.md`: the verdict, what was tested, and where it ran. */
export function evidencePage(content: EvidenceContent): string {
  const { repository, version, candidateSha, set, setDigest, policyDigest } = content;
  return `${[
    `# Evidence for ${cell(version)}`,
    '',
    `Release **${cell(version)}** of ${cell(repository)}, candidate \`${candidateSha}\`.`,
    'Every required check, every piece of evidence and every quality gate passes at this commit.',
    '',
    '| evidence | environment | pipeline | result | run |',
    '| --- | --- | --- | --- | --- |',
    ...set.flatMap((slot) => slot.pieces.map((piece) => row(piece, slot.flaky, content.runUrls))),
    '',
    'Approving this pull request approves exactly this evidence for exactly this commit. New evidence or another',
    'candidate rewrites the branch, and the approvals fall with it.',
    '',
    `Set \`${setDigest}\` · policy \`${policyDigest}\``,
  ].join('\n')}\n`;
}

/** The pull request's own text. */
export function pullBody(content: EvidenceContent): string {
  const { approvalsRequired, version } = content;
  const asked =
    approvalsRequired === 0
      ? 'Merging this pull request approves the release.'
      : `${approvalsRequired} approving ${approvalsRequired === 1 ? 'review is' : 'reviews are'} needed. Merging is optional: it keeps the record in the repository.`;
  return `${evidencePage(content)}\n---\n\n${asked}\n\nFiles: \`${EVIDENCE_FILES(version).page}\`, \`${EVIDENCE_FILES(version).data}\`\n`;
}

function row(piece: EvidencePiece, flaky: boolean, runUrls: ReadonlyMap<string, string>): string {
  const url = runUrls.get(piece.id);
  const result = `${resultOf(piece)}${flaky ? ' (flaky: failed before at this commit)' : ''}`;
  const job = piece.job === '' ? '' : ` / ${piece.job}`;
  const run = url === undefined ? (piece.run?.id ?? '') : `[run](${url.replaceAll(/[()\s]/g, encodeURIComponent)})`;
  return `| ${cell(piece.kind)} | ${cell(piece.environment)} | ${cell(piece.pipeline + job)} | ${cell(result)} | ${url === undefined ? cell(run) : run} |`;
}

function resultOf(piece: EvidencePiece): string {
  const failures = failuresOf(piece);
  if (failures.length > 0) return failures.join('; ');
  const tests = testMetricsOf(piece);
  if (tests) return `${tests.passed} passed, ${tests.skipped} skipped`;
  const { coverage, sast_scan: sast, security } = piece.metrics;
  if (piece.kind === 'coverage' && coverage) return `${coverage.line_percent?.toFixed(1) ?? '–'} % of lines`;
  const findings = piece.kind === 'sast_scan' ? sast : piece.kind === 'security' ? security : undefined;
  if (!findings) return 'present';
  return `${findings.critical} critical, ${findings.high} high, ${findings.medium} medium, ${findings.low} low`;
}

/** Text of an upload inside a table: it may not end the cell, open a tag, mention anybody or make a link. */
const cell = (text: string): string =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|<>~]/g, String.raw`\$&`)
    .replaceAll('@', '@\u200B');
