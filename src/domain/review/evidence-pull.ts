import type { CommitFact, ComparisonFact, PullFact, Sha } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';
import type { EvidencePullRecord } from '../release/release-record.js';

/** Whether what stands in the evidence pull request is still what the service wrote. */
export type PullContent =
  | { readonly status: 'intact'; /** Heads whose approval counts. */ readonly heads: ReadonlySet<Sha> }
  | { readonly status: 'altered' }
  | { readonly status: 'unknown' };

/**
 * Nobody but the service may change the branch; merging the base branch into it is allowed, as long as both evidence
 * files stay as they were and nothing else differs. An approval of the state before such a merge counts on.
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

/** A merge of the base has one parent on the branch and all others in the base, which the comparison does not list. */
const isBaseMerge = ({ parents }: CommitFact, listed: ReadonlyMap<Sha, CommitFact>): boolean =>
  parents.length > 1 && parents.filter((parent) => listed.has(parent)).length === 1;
