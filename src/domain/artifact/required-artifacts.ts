import type { Actor, Condition } from '../facts/condition.js';
import type { RequiredArtifact } from '../policy/policy.js';
import { toSourced } from '../policy/policy.js';
import { type Artifact, artifactCommit, listProvenances, selectCountedArtifacts } from './artifact.js';
import type { Provenance } from './provenance.js';

/** An artifact of the candidate, by its name and digest. */
export interface NamedDigest {
  readonly name: string;
  readonly digest: string;
}

/** The result of one required artifact. */
export interface ArtifactResult {
  readonly required: RequiredArtifact;
  /** The digest that the policy accepts. Null if there are conditions. */
  readonly accepted: string | null;
  readonly conditions: readonly Condition[];
}

/** Whether a gate may be open for the digest: a verdict accepted it, or none was asked for. `accepted` is missing if the policy names none. */
export const acceptsDigest = (accepted: readonly NamedDigest[] | undefined, digest: string | null): boolean =>
  digest === null || accepted?.some((artifact) => artifact.digest === digest) === true;

/** The reason of a gate that was asked for another digest. */
export const digestNotAccepted = (digest: string | null): Condition => ({
  code: 'not_the_candidate',
  detail: `The digest ${digest} is not an artifact of the candidate that the policy accepts.`,
  actor: 'deployer',
});

/** The artifacts of a candidate that its policy names. */
export interface ArtifactEvaluation {
  readonly results: readonly ArtifactResult[];
  /** Every digest that counts, accepted or not, sorted. It belongs to the deciding set. */
  readonly counted: readonly NamedDigest[];
  /** The digests that every requirement of their name accepts, sorted. */
  readonly accepted: readonly NamedDigest[];
}

/** The candidate, and all commits that count as it. */
interface CandidateCommits {
  readonly sha: string;
  readonly shas: readonly string[];
}

/**
 * Evaluates the required artifacts of a candidate. What is pending, unknown or stated in two ways is never accepted. If both the newest
 * artifacts and those of the candidate's own commit are accepted, its own count, as evidence does: the build of a merged evidence pull
 * request must not invalidate the approval that it carries.
 */
export function evaluateArtifacts(
  artifacts: readonly Artifact[],
  candidate: CandidateCommits | null,
  required: readonly RequiredArtifact[],
): ArtifactEvaluation {
  const shas = candidate?.shas ?? [];
  const newest = evaluateAll(artifacts, shas, required);
  const own = artifacts.filter(
    (artifact) =>
      artifactCommit(artifact) === candidate?.sha ||
      !artifacts.some((other) => other.name === artifact.name && artifactCommit(other) === candidate?.sha),
  );
  if (own.length === artifacts.length) return newest;
  const ofOwn = evaluateAll(own, shas, required);
  const isAccepted = ({ results }: ArtifactEvaluation): boolean =>
    results.every(({ conditions }) => conditions.length === 0);
  return isAccepted(newest) && isAccepted(ofOwn) ? ofOwn : newest;
}

function evaluateAll(
  artifacts: readonly Artifact[],
  candidateShas: readonly string[],
  required: readonly RequiredArtifact[],
): ArtifactEvaluation {
  const results = required.map((one) =>
    evaluateArtifact(one, selectCountedArtifacts(artifacts, candidateShas, one.name), candidateShas),
  );
  const names = [...new Set(required.map(({ name }) => name))].sort();
  const counted = names.flatMap((name) =>
    distinctDigests(selectCountedArtifacts(artifacts, candidateShas, name)).map((digest) => ({ name, digest })),
  );
  const accepted = counted.filter(({ name, digest }) =>
    results.every((result) => result.required.name !== name || result.accepted === digest),
  );
  return { results, counted, accepted };
}

const distinctDigests = (artifacts: readonly Artifact[]): readonly string[] =>
  [...new Set(artifacts.map(({ digest }) => digest))].sort();

function evaluateArtifact(
  required: RequiredArtifact,
  counted: readonly Artifact[],
  candidateShas: readonly string[],
): ArtifactResult {
  const conditions = findConditions(required, counted, candidateShas).map((condition) => ({
    ...condition,
    ...toSourced(required),
  }));
  return { required, accepted: conditions.length === 0 ? (counted[0]?.digest ?? null) : null, conditions };
}

function findConditions(
  required: RequiredArtifact,
  counted: readonly Artifact[],
  candidateShas: readonly string[],
): readonly Condition[] {
  const label = `"${required.name}"`;
  if (counted.length === 0) {
    return [
      toCondition('artifact_missing', `No digest of the required artifact ${label} was stated for the candidate.`),
    ];
  }
  const digests = distinctDigests(counted);
  const invalid = counted.flatMap(({ bundles, digest }) =>
    bundles.flatMap(({ status, reason, provenance }) => {
      if (status === 'invalid') return [`${digest}: ${reason ?? 'The bundle does not verify.'}`];
      const isOther = provenance !== null && !candidateShas.includes(provenance.sourceSha);
      return isOther
        ? [`${digest}: It was built from the commit ${provenance.sourceSha}, which is not the candidate.`]
        : [];
    }),
  );
  if (invalid.length > 0) {
    return [
      toCondition(
        'provenance_invalid',
        `A provenance of ${label} is not valid. ${invalid[0] ?? ''} ${START_A_RUN}`,
        'team',
      ),
    ];
  }
  if (counted.some(({ bundles }) => bundles.some(({ status }) => status === 'pending'))) {
    return [toCondition('provenance_missing', `A provenance of ${label} is being verified.`, 'service')];
  }
  if (digests.length > 1) {
    return [
      toCondition(
        'artifact_ambiguous',
        `One run stated ${digests.length} digests of ${label}: ${digests.join(', ')}. ${START_A_RUN}`,
      ),
    ];
  }
  // A statement without a run and without a verified bundle binds nothing.
  if (counted.some((artifact) => artifact.runId === null && listProvenances(artifact).length === 0)) {
    return [
      toCondition(
        'provenance_missing',
        `${label} ${digests[0] ?? ''} is bound to the candidate by no run and no provenance.`,
      ),
    ];
  }
  if (!required.provenance) return [];
  const provenances = counted.flatMap(listProvenances);
  if (provenances.length === 0) {
    return [
      toCondition(
        'provenance_missing',
        `${label} ${digests[0] ?? ''} has no provenance. Upload its bundle with the digest, from the run that built it.`,
      ),
    ];
  }
  const problems = provenances.map((provenance) => findProblem(required, provenance));
  if (problems.includes(null)) return [];
  return [
    toCondition(
      'provenance_invalid',
      `The provenance of ${label} is not the required one. ${problems[0] ?? ''}`,
      'team',
    ),
  ];
}

const START_A_RUN = 'Start a new run that builds it.';

/** Returns what of the requirement a verified provenance does not meet. */
function findProblem({ builder, signerWorkflow }: RequiredArtifact, provenance: Provenance): string | null {
  if (builder !== 'any' && provenance.runnerEnvironment !== builder) {
    return `It was built on a runner that is "${provenance.runnerEnvironment}", not "${builder}".`;
  }
  if (signerWorkflow !== null && provenance.signerWorkflow !== signerWorkflow) {
    return `It was signed by the workflow "${provenance.signerWorkflow}", not by "${signerWorkflow}".`;
  }
  return null;
}

const toCondition = (code: Condition['code'], detail: string, actor: Actor = 'ci'): Condition => ({
  code,
  detail,
  actor,
});
