import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { ComparisonFact, PullFact, Sha } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { pullBody } from './evidence-documents.service.js';
import type { EvidencePullContent } from './evidence-pull-content.service.js';

/** A commit of the evidence, and the files that it holds beyond its base. */
export interface EvidenceCommit {
  readonly sha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
}

/** Puts evidence pull requests on the code host. */
@Injectable()
export class EvidencePullGitHubService {
  constructor(private readonly github: GitHubGateway) {}

  /**
   * The commit that an earlier try announced and put on the branch, where it still is what has to be written: the same
   * files on the same base. Another one would differ in its date alone, and each push of one sends webhooks that ask for
   * the next. Null where the branch points to anything else, also to what the service itself wrote before that.
   *
   * Commits that are the same by construction, with a fixed date, are no way out: GitHub verifies a bot's commit only
   * where the bot leaves author and date to it, and a branch may demand verified commits.
   */
  async findExistingCommit({
    ref,
    branch,
    announcedSha,
    baseSha,
    ...work
  }: EvidencePullContent): Promise<EvidenceCommit | null> {
    if (announcedSha === null || (await this.findHead(ref, branch)) !== announcedSha) return null;
    const { value: placed } = await this.github.commits.compare(ref, baseSha, announcedSha);
    const [commit, ...others] = placed.commits;
    const isOnBase =
      commit?.sha === announcedSha && others.length === 0 && isDeepStrictEqual(commit.parents, [baseSha]);
    const files = work.files.map(({ path, content }) => ({ path, blobSha: gitBlobSha(content) }));
    return isOnBase && holdsExactly(placed, files) ? { sha: announcedSha, files } : null;
  }

  /** Makes the commit that the pull request is to hold; nobody sees it before it is published. */
  async commit({ ref, content, files, baseSha }: EvidencePullContent): Promise<EvidenceCommit> {
    return this.github.commits.create(ref, {
      baseSha,
      files,
      message: `Evidence for ${content.version}\n\nCandidate: ${content.candidateSha}`,
    });
  }

  /**
   * Points the branch at the commit and opens the pull request. Safe to run again after a crash at any point: a branch
   * that is there already is moved to it whatever else it holds, so that no other content is ever taken on, and its open
   * pull request is found by it.
   */
  async publish(work: EvidencePullContent, sha: Sha): Promise<PullFact> {
    await this.point(work.ref, work.branch, sha);
    return this.openPull(work, sha);
  }

  private async point(ref: RepositoryRef, branch: string, sha: Sha): Promise<void> {
    const head = await this.findHead(ref, branch);
    if (head === sha) return;
    if (head !== null) return this.github.branches.forceUpdate(ref, branch, sha);
    try {
      await this.github.branches.create(ref, branch, sha);
    } catch (error) {
      // Made by an earlier try whose answer was lost.
      if (!GitHubError.is(error, 'conflict')) throw error;
      await this.github.branches.forceUpdate(ref, branch, sha);
    }
  }

  private async findHead(ref: RepositoryRef, branch: string): Promise<Sha | null> {
    const { value: found } = await this.github.branches.listByPrefix(ref, branch);
    return found.find((head) => head.branch === branch)?.sha ?? null;
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

  /** Asks the teams. A team that the host does not accept does not stand in the way: its condition tells. */
  async requestReviews({ ref, teams }: EvidencePullContent, number: number): Promise<void> {
    if (teams.length === 0) return;
    try {
      await this.github.pulls.requestTeamReviews(ref, number, teams);
    } catch (error) {
      if (!GitHubError.is(error, 'invalid', 'conflict', 'not_found', 'forbidden')) throw error;
    }
  }
}

const holdsExactly = (placed: ComparisonFact, files: EvidenceCommit['files']): boolean =>
  placed.filesComplete &&
  placed.files.length === files.length &&
  files.every(({ path, blobSha }) => placed.files.some((file) => file.path === path && file.blobSha === blobSha));
