import { canUploadFromEvent } from '../evidence/evidence.js';

/** The identity of a build, as the extensions of its certificate state it. */
export interface ProvenanceIdentity {
  /** The issuer of the identity token of the build. */
  readonly issuer: string;
  /** The URI of the workflow that signed, with its reference. */
  readonly buildSigner: string;
  readonly runnerEnvironment: string;
  /** The commit that the run built. */
  readonly sourceSha: string;
  /** GitHub's id of the repository of that commit. */
  readonly repositoryId: string;
  /** The event that triggered the run. */
  readonly trigger: string;
  /** The URL of the run and its attempt. */
  readonly runUri: string;
}

/** A build that a verified bundle proves. */
export interface Provenance {
  readonly sourceSha: string;
  readonly runId: string;
  /** The kind of the runner, `github-hosted` or `self-hosted`. */
  readonly runnerEnvironment: string;
  /** The workflow that signed, as `owner/repo/.github/workflows/build.yml`. */
  readonly signerWorkflow: string;
}

/** What the identity of a build must match. */
export interface ExpectedIdentity {
  readonly issuer: string;
  /** GitHub's id of the repository. */
  readonly repositoryId: number;
  /** The events that the policy allows besides the safe ones. */
  readonly evidenceEvents: readonly string[];
}

/** Runs of these events may execute code of strangers. No policy can allow them to prove an artifact. */
const REJECTED_EVENTS: readonly string[] = ['pull_request', 'pull_request_target'];

/** Returns whether a run of this event may state or prove an artifact. */
export const canProveFromEvent = (event: string, evidenceEvents: readonly string[]): boolean =>
  !REJECTED_EVENTS.includes(event) && canUploadFromEvent(event, evidenceEvents);

/** Returns the reason why a build does not prove an artifact of the repository, or null if it does. */
export function findIdentityProblem(identity: ProvenanceIdentity, expected: ExpectedIdentity): string | null {
  const { issuer, repositoryId, trigger, sourceSha } = identity;
  if (issuer !== expected.issuer) return `Its issuer is "${issuer}", not "${expected.issuer}".`;
  if (repositoryId !== String(expected.repositoryId)) {
    return `It was built in the repository with the id ${repositoryId}, not in this one.`;
  }
  if (!canProveFromEvent(trigger, expected.evidenceEvents)) {
    return `Runs of the event "${trigger}" cannot prove an artifact.`;
  }
  if (!/^[0-9a-f]{40}$/.test(sourceSha)) return `Its source "${sourceSha}" is not a commit.`;
  return toProvenance(identity) === null
    ? 'Its certificate does not name a run and a workflow of GitHub Actions.'
    : null;
}

/** Reads the run and the workflow of a build. Null if the identity does not name them in GitHub's form. */
export function toProvenance({
  buildSigner,
  runnerEnvironment,
  sourceSha,
  runUri,
}: ProvenanceIdentity): Provenance | null {
  const run = /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/actions\/runs\/([1-9]\d{0,19})\/attempts\/[1-9]\d{0,9}$/.exec(runUri);
  // The last "@" is never before the one that separates the reference. So a file whose name contains one is never read as another file.
  const signer = /^https?:\/\/[^/]+\/([^/]+\/[^/]+\/\.github\/workflows\/.+)@[^@]+$/.exec(buildSigner);
  if (run?.[1] === undefined || signer?.[1] === undefined) return null;
  return { sourceSha, runId: run[1], runnerEnvironment, signerWorkflow: signer[1] };
}
