import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { ComparisonFact, PullFact, Sha } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { pullBody } from './evidence-documents.service.js';
import type { EvidencePullContent } from './evidence-pull-content.service.js';

/** A commit with the evidence, and the files that it adds to its base. */
export interface EvidenceCommit {
  readonly sha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
}

/** Writes evidence pull requests to GitHub. */
@Injectable()
export class EvidencePullGitHubService {
  constructor(private readonly github: GitHubGateway) {}

  /**
   * Returns the commit that an earlier attempt announced and wrote to the branch if it is still correct: the same files on the
   * same base. A new commit would differ only in its date, and each push sends webhooks that cause the next one. Null if the
   * branch points to any other commit, also to an older one of the service. A fixed date would make the commits identical, but is
   * not possible: GitHub verifies a bot's commit only if the bot does not set author and date, and a branch may require verified
   * commits.
   */
  async findExistingCommit({
    ref,
    branch,
    announcedSha,
    baseSha,
    ...work
  }: EvidencePullContent): Promise<EvidenceCommit | null> {
    if (announcedSha === null || (await this.github.branches.findHead(ref, branch)) !== announcedSha) return null;
    const { value: comparison } = await this.github.commits.compare(ref, baseSha, announcedSha);
    const [commit, ...otherCommits] = comparison.commits;
    const isOnBase =
      commit?.sha === announcedSha && otherCommits.length === 0 && isDeepStrictEqual(commit.parents, [baseSha]);
    const files = work.files.map(({ path, content }) => ({ path, blobSha: gitBlobSha(content) }));
    return isOnBase && containsExactly(comparison, files) ? { sha: announcedSha, files } : null;
  }

  /** Creates the commit. It is not visible before it is published. */
  async commit({ ref, content, files, baseSha }: EvidencePullContent): Promise<EvidenceCommit> {
    return this.github.commits.create(ref, {
      baseSha,
      files,
      message: `Evidence for ${content.version}\n\nCandidate: ${content.candidateSha}`,
    });
  }

  /**
   * Points the branch at the commit and opens the pull request. Can run again after a crash at any point: an existing branch is
   * moved to the commit regardless of its content, so that no other content is accepted, and its open pull request is reused.
   */
  async publish(work: EvidencePullContent, sha: Sha): Promise<PullFact> {
    await this.moveBranch(work.ref, work.branch, sha);
    return this.openPull(work, sha);
  }

  private async moveBranch(ref: RepositoryRef, branch: string, sha: Sha): Promise<void> {
    const head = await this.github.branches.findHead(ref, branch);
    if (head === sha) return;
    if (head !== null) return this.github.branches.forceUpdate(ref, branch, sha);
    try {
      await this.github.branches.create(ref, branch, sha);
    } catch (error) {
      // An earlier attempt created it and its response was lost.
      if (!GitHubError.is(error, 'conflict')) throw error;
      await this.github.branches.forceUpdate(ref, branch, sha);
    }
  }

  private async openPull(work: EvidencePullContent, sha: Sha): Promise<PullFact> {
    const { ref } = work;
    const title = `Evidence for ${work.content.version}`;
    const { value: pulls } = await this.github.pulls.listByHead(ref, work.branch);
    const open = pulls.find(({ state, baseRef }) => state === 'open' && baseRef === work.baseRef);
    const body = pullBody(work.content, sha);
    return open
      ? this.github.pulls.update(ref, open.number, { title, body })
      : this.github.pulls.open(ref, { title, head: work.branch, base: work.baseRef, body });
  }

  /** Requests reviews of the teams. A team that GitHub rejects is ignored here, because a condition reports it. */
  async requestReviews({ ref, teams }: EvidencePullContent, number: number): Promise<void> {
    if (teams.length === 0) return;
    try {
      await this.github.pulls.requestTeamReviews(ref, number, teams);
    } catch (error) {
      if (!GitHubError.is(error, 'invalid', 'conflict', 'not_found', 'forbidden')) throw error;
    }
  }
}

const containsExactly = (comparison: ComparisonFact, files: EvidenceCommit['files']): boolean =>
  comparison.filesComplete &&
  comparison.files.length === files.length &&
  files.every(({ path, blobSha }) => comparison.files.some((file) => file.path === path && file.blobSha === blobSha));
