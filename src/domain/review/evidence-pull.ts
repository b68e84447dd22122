import type { CommitFact, ComparisonFact, PullFact, Sha } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';

/** The content that the service published in the latest evidence pull request of a release. */
export interface EvidencePullRecord {
  readonly number: number;
  readonly url: string;
  /** The head commit that the service pushed. */
  readonly headSha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
  readonly setDigest: string;
  /** The approval at the time of the merge. Null until the service has seen and evaluated the merge. */
  readonly mergeApproval: MergeApproval | null;
}

export interface MergeApproval {
  readonly approved: boolean;
  readonly approvers: readonly string[];
}

/** Whether the evidence pull request still contains exactly the published content. */
export type PullContent =
  | { readonly status: 'intact'; /** Heads whose approval counts. */ readonly heads: ReadonlySet<Sha> }
  | { readonly status: 'altered' }
  | { readonly status: 'unknown' };

/**
 * Checks the content of the evidence pull request. Only the service may change its branch. A merge of the base branch
 * is allowed if both evidence files stay the same and nothing else differs. Approvals from before such a merge still
 * count.
 */
export function checkPullContent(
  pull: PullFact,
  written: EvidencePullRecord,
  baseHead: Sha | null,
  facts: FactReader,
): PullContent {
  if (pull.headSha === written.headSha) return { status: 'intact', heads: new Set([written.headSha]) };
  const base = pull.state === 'merged' ? pull.baseSha : baseHead;
  const comparison = base === null ? undefined : facts.comparison(base, pull.headSha);
  if (!comparison) return { status: 'unknown' };
  if (!comparison.commitsComplete || !comparison.filesComplete) return { status: 'altered' };
  if (!holdsOnlyWhatWasWritten(comparison, written)) return { status: 'altered' };

  const listed = new Map(comparison.commits.map((commit) => [commit.sha, commit]));
  const merges = comparison.commits.filter(({ sha }) => sha !== written.headSha);
  const intact = listed.has(written.headSha) && merges.every((commit) => isBaseMerge(commit, listed));
  return intact ? { status: 'intact', heads: new Set(listed.keys()) } : { status: 'altered' };
}

const holdsOnlyWhatWasWritten = ({ files }: ComparisonFact, written: EvidencePullRecord): boolean =>
  files.length === written.files.length &&
  written.files.every(({ path, blobSha }) => files.some((file) => file.path === path && file.blobSha === blobSha));

/**
 * Whether the commit is a merge of the base: one parent is on the branch and all others are in the base, which the
 * comparison does not list.
 */
const isBaseMerge = ({ parents }: CommitFact, listed: ReadonlyMap<Sha, CommitFact>): boolean =>
  parents.length > 1 && parents.filter((parent) => listed.has(parent)).length === 1;
