import { sha256 } from '../../crypto/digests.js';
import type { PackManifest } from '../../domain/audit-pack/pack-manifest.js';
import { canonicalJson, type JsonObject } from '../../domain/audit/canonical-json.js';
import { hashEntry, type HashedEntry } from '../../domain/audit/hash-chain.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { replay, type Stored, type StoredInputs } from '../../domain/release/replay.js';
import { isSignedBy } from '../../crypto/public-key.js';

/** The path of a decision; the group is its id. */
const DECISION = /^decisions\/\d+-(.*)\.json$/;
const SHIPPING_KINDS = ['release', 'hotfix'];

/** Reads a file of a pack whose bytes are verified. */
export type ReadPacked = (path: string) => Promise<Buffer>;

/** The result for one kind of record. */
export interface RecordReport {
  readonly kind: 'decisions' | 'history' | 'evidence' | 'audit log';
  readonly summary: string;
  /** One sentence per problem. */
  readonly problems: readonly string[];
  /** One sentence per version of other rules, whose decisions were not derived again. */
  readonly notDerived?: readonly string[];
}

interface PackedDecision {
  readonly at: string;
  readonly open: boolean;
  readonly candidateSha: string | null;
  readonly policyDigest: string | null;
  readonly verdict: Pick<Verdict, 'candidateSha' | 'policyDigest'> & { readonly gate: Stored<Verdict['gate']> };
  readonly inputs: StoredInputs;
}

interface PackedDeployment {
  readonly id: string;
  readonly kind: string;
  readonly decisionId: string | null;
}

interface PackedAuditLog {
  readonly workspace: string;
  readonly entries: readonly (Omit<HashedEntry, 'orgId'> & { readonly hash: string })[];
}

interface PackedEvidence {
  readonly id: string;
  readonly reports: readonly (ReportFiles[number] & {
    /** When the retention of the service deleted the content; null if the pack has it. */
    readonly removedAt: string | null;
  })[];
}

interface PackedArtifact {
  readonly name: string;
  /** The size is null if the retention of the service deleted the bundle. */
  readonly bundles: readonly { readonly sha256: string; readonly size: number | null }[];
}

type ReportFiles = readonly { readonly name: string; readonly sha256: string; readonly size: number }[];

interface SignedDocument extends JsonObject {
  readonly evidence: readonly (JsonObject & { readonly files: ReportFiles })[];
  readonly signature: JsonObject & { readonly keyId: string; readonly value: string };
}

/**
 * Derives every decision of a pack again. Compares the result with the verdict, and the verdict with the other members. A decision of
 * other rules is only compared with its other members.
 */
export async function checkDecisions({ files, service }: PackManifest, read: ReadPacked): Promise<RecordReport> {
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith('decisions/'));
  const problems: string[] = [];
  const otherRules = new Map<string, number>();
  for (const path of paths) {
    const decision = await readJson<PackedDecision>(read, path);
    const { rules, agrees, differences } = replay(decision.inputs, decision.verdict, sha256);
    if (agrees === null) {
      otherRules.set(rules, (otherRules.get(rules) ?? 0) + 1);
      if (!matchesVerdict(decision)) problems.push(`${path} has a verdict that differs from its other members`);
    } else if (differences.length > 0) {
      problems.push(
        `${path} does not follow from its inputs by the rules of this version (${differences.join(', ')}); ` +
          `the pack was created by version ${service}`,
      );
    } else if (!matchesVerdict(decision)) {
      problems.push(`${path} has a verdict that differs from its other members`);
    }
  }
  const notDerived = [...otherRules.values()].reduce((sum, count) => sum + count, 0);
  return {
    kind: 'decisions',
    summary: `${paths.length - problems.length - notDerived} of ${paths.length} follow from their inputs`,
    problems,
    notDerived: [...otherRules].map(
      ([rules, count]) =>
        `${count} ${count === 1 ? 'decision was' : 'decisions were'} made by the rules of version ${rules}. The rules have changed since. ` +
        `Derive them again with verify-pack of version ${rules}`,
    ),
  };
}

const matchesVerdict = ({ at, open, candidateSha, policyDigest, verdict, inputs }: PackedDecision): boolean =>
  Date.parse(at) === Date.parse(inputs.now) &&
  open === (verdict.gate.openUntil !== null) &&
  candidateSha === verdict.candidateSha &&
  policyDigest === verdict.policyDigest;

/** Checks that the decision of each deployment that shipped the release is in the pack and opened the gate. */
export async function checkHistory({ files }: PackManifest, read: ReadPacked): Promise<RecordReport> {
  const history = await readJson<readonly PackedDeployment[]>(read, 'history.json');
  const shipments = history.filter(({ kind }) => SHIPPING_KINDS.includes(kind));
  const problems: string[] = [];
  for (const { id, decisionId } of shipments) {
    const path = files.map((file) => file.path).find((name) => DECISION.exec(name)?.[1] === decisionId);
    const decision = path === undefined ? null : await readJson<PackedDecision>(read, path);
    if (decision?.open !== true)
      problems.push(`the deployment ${id} of history.json has no decision with an open gate in the pack`);
  }
  const summary = `${shipments.length - problems.length} of ${shipments.length} deployments that shipped it had an open gate`;
  return { kind: 'history', summary, problems };
}

/** Checks that the pack has each file that evidence or a published document names, and the signature of each document. */
export async function checkEvidence({ files }: PackManifest, read: ReadPacked): Promise<RecordReport> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const problems: string[] = [];
  const removed = new Set<string>();
  const listMissing = (named: ReportFiles): readonly string[] =>
    named
      .filter(({ sha256: digest, size }) => {
        if (removed.has(digest)) return false;
        const packed = byPath.get(`reports/${digest}`);
        return packed?.sha256 !== digest || packed.size !== size;
      })
      .map(({ name }) => JSON.stringify(name));
  let reports = 0;
  let documents = 0;
  const { keys } = await readJson<{ readonly keys: readonly { readonly kid: string; readonly x: string }[] }>(
    read,
    'keys.json',
  );
  for (const { path } of files) {
    if (path.startsWith('evidence/')) {
      const evidence = await readJson<PackedEvidence>(read, path);
      for (const { sha256: digest, removedAt } of evidence.reports) if (removedAt) removed.add(digest);
      const missing = listMissing(evidence.reports);
      reports += evidence.reports.filter(({ sha256: digest }) => !removed.has(digest)).length - missing.length;
      problems.push(...missing.map((name) => `${path} names the report ${name}, which is not in the pack`));
    }
    if (/^evidence-pulls\/\d+\/evidence\.json$/.test(path)) {
      const { signature, ...document } = await readJson<SignedDocument>(read, path);
      const x = keys.find(({ kid }) => kid === signature.keyId)?.x ?? '';
      if (isSignedBy(x, Buffer.from(canonicalJson(document)), signature.value)) documents += 1;
      else problems.push(`${path} has no valid signature of a key in keys.json`);
      const missing = listMissing(document.evidence.flatMap(({ files: named }) => named));
      problems.push(...missing.map((name) => `${path} names the file ${name}, which is not in the pack`));
    }
  }
  if (byPath.has('artifacts.json')) {
    for (const { name, bundles } of await readJson<readonly PackedArtifact[]>(read, 'artifacts.json')) {
      const missing = bundles.filter(({ sha256: digest, size }) => {
        const packed = byPath.get(`bundles/${digest}`);
        return size !== null && (packed?.sha256 !== digest || packed.size !== size);
      });
      problems.push(
        ...missing.map(
          ({ sha256: digest }) =>
            `artifacts.json names the bundle ${digest} of ${JSON.stringify(name)}, which is not in the pack`,
        ),
      );
    }
  }
  const deleted = removed.size === 0 ? '' : `${removed.size} were deleted by retention, `;
  const summary = `${reports} reports are in the pack, ${deleted}${documents} documents of pull requests have a valid signature`;
  return { kind: 'evidence', summary, problems };
}

/** Checks the hash of each entry of the audit log. */
export async function checkAuditLog(_manifest: PackManifest, read: ReadPacked): Promise<RecordReport> {
  const { workspace, entries } = await readJson<PackedAuditLog>(read, 'audit-log.json');
  const problems = entries
    .filter(({ hash, ...content }) => hashEntry({ ...content, orgId: workspace }, sha256) !== hash)
    .map(({ sequence }) => `entry ${sequence} of audit-log.json does not match its hash`);
  return {
    kind: 'audit log',
    summary: `${entries.length - problems.length} of ${entries.length} entries match their hashes`,
    problems,
  };
}

const readJson = async <T>(read: ReadPacked, path: string): Promise<T> =>
  JSON.parse((await read(path)).toString('utf8')) as T;
