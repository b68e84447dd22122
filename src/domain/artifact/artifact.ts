import type { CommitSource } from '../evidence/evidence.js';
import type { Provenance } from './provenance.js';

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const ARTIFACT_DIGEST = /^sha256:[0-9a-f]{64}$/;
/** One line of text, as the names in a policy. */
export const ARTIFACT_NAME = /^[^\s\p{Cc}\p{Cs}](?:[^\p{Cc}\p{Cs}]*[^\s\p{Cc}\p{Cs}])?$/u;

export const BUNDLE_STATUSES = ['pending', 'verified', 'invalid'] as const;

/** A provenance bundle of an artifact with the result of its verification. */
export interface ArtifactBundle {
  /** SHA-256 over its bytes. */
  readonly sha256: string;
  readonly status: (typeof BUNDLE_STATUSES)[number];
  /** Why it is invalid. Null otherwise. */
  readonly reason: string | null;
  /** Null unless it is verified. */
  readonly provenance: Provenance | null;
}

/** A name and a digest that a run or a key stated for a commit of a release. */
export interface Artifact {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly commitSha: string;
  readonly commitSource: CommitSource;
  /** GitHub's id of the run whose identity token stated it. Null if a key stated it. */
  readonly runId: string | null;
  readonly bundles: readonly ArtifactBundle[];
  readonly receivedAt: Date;
}

/** What binds an artifact to its commit. `none` gives nothing. */
export const ARTIFACT_BINDINGS = ['pending', 'provenance', 'run', 'none'] as const;
export type ArtifactBinding = (typeof ARTIFACT_BINDINGS)[number];

export function artifactBinding({ bundles, runId }: Pick<Artifact, 'runId' | 'bundles'>): ArtifactBinding {
  if (bundles.some(({ status }) => status === 'verified')) return 'provenance';
  if (bundles.some(({ status }) => status === 'pending')) return 'pending';
  return runId === null ? 'none' : 'run';
}

/** Returns the builds that verified bundles of the artifact prove. */
export const listProvenances = ({ bundles }: Pick<Artifact, 'bundles'>): readonly Provenance[] =>
  bundles.flatMap(({ provenance }) => provenance ?? []);

/**
 * Returns the commit that the artifact belongs to. A key that stated none gets the commit of a verified bundle, because the candidate
 * may have moved since the build.
 */
export function artifactCommit(artifact: Artifact): string {
  if (artifact.commitSource === 'token' || artifact.commitSource === 'stated') return artifact.commitSha;
  return listProvenances(artifact)[0]?.sourceSha ?? artifact.commitSha;
}

/** Returns the newest run that proves the artifact: that of a verified bundle, else that of the identity token. Null if none does. */
function provenRun(artifact: Artifact): bigint | null {
  const ids = listProvenances(artifact).map(({ runId }) => BigInt(runId));
  if (ids.length > 0) return ids.reduce((newest, id) => (id > newest ? id : newest));
  return artifact.runId === null ? null : BigInt(artifact.runId);
}

/**
 * Selects the artifacts of one name that count for a candidate, as evidence is selected: those of the newest proven run, and those without
 * a proven run that arrived after it. A later run therefore clears what an earlier one or a key stated.
 */
export function selectCountedArtifacts(
  artifacts: readonly Artifact[],
  candidateShas: readonly string[],
  name: string,
): readonly Artifact[] {
  const own = artifacts
    .filter((artifact) => artifact.name === name && candidateShas.includes(artifactCommit(artifact)))
    .map((artifact) => ({ artifact, run: provenRun(artifact) }));
  const newest = own.reduce<bigint | null>(
    (best, { run }) => (run !== null && (best === null || run > best) ? run : best),
    null,
  );
  const proven = own.filter(({ run }) => run !== null && run === newest);
  const arrivedAt = Math.min(...proven.map(({ artifact }) => artifact.receivedAt.getTime()));
  const later = own.filter(
    ({ artifact, run }) => run === null && (newest === null || artifact.receivedAt.getTime() >= arrivedAt),
  );
  return [...proven, ...later].map(({ artifact }) => artifact);
}
