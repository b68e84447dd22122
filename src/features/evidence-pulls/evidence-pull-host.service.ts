import { Injectable } from '@nestjs/common';
import type { PullFact, Sha } from '../../domain/release/facts.js';
import { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { EVIDENCE_FILES, evidenceJson, evidencePage, pullBody } from './evidence-document.js';
import type { EvidencePullWork } from './evidence-pull-work.reader.js';

/** A commit of the evidence that no branch points to yet. */
export interface EvidenceCommit {
  readonly sha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
}

/** Puts evidence pull requests on the code host. */
@Injectable()
export class EvidencePullHost {
  constructor(private readonly github: GitHubGateway) {}

  /** Makes the commit that the pull request is to hold; nobody sees it before it is published. */
  async commit({ ref, content, baseSha }: EvidencePullWork): Promise<EvidenceCommit> {
    const paths = EVIDENCE_FILES(content.version);
    return this.github.commits.create(ref, {
      baseSha,
      files: [
        { path: paths.page, content: evidencePage(content) },
        { path: paths.data, content: evidenceJson(content) },
      ],
      message: `Evidence for ${content.version}\n\nCandidate: ${content.candidateSha}`,
    });
  }

  /**
   * Points the branch at the commit and opens the pull request. Safe to run again after a crash at any point: a branch
   * that is there already is moved whatever it holds, so that no content is ever taken on, and its open pull request
   * is found by it.
   */
  async publish(work: EvidencePullWork, sha: Sha): Promise<PullFact> {
    await this.point(work.ref, work.branch, sha);
    return this.openPull(work);
  }

  private async point(ref: RepositoryRef, branch: string, sha: Sha): Promise<void> {
    const { value: found } = await this.github.branches.startingWith(ref, branch);
    if (found.some((head) => head.branch === branch)) return this.github.branches.force(ref, branch, sha);
    try {
      await this.github.branches.create(ref, branch, sha);
    } catch (error) {
      // Made by an earlier try whose answer was lost.
      if (!GitHubError.is(error, 'conflict')) throw error;
      await this.github.branches.force(ref, branch, sha);
    }
  }

  private async openPull(work: EvidencePullWork): Promise<PullFact> {
    const { ref } = work;
    const title = `Evidence for ${work.content.version}`;
    const { value: pulls } = await this.github.pulls.byHead(ref, work.branch);
    const open = pulls.find(({ state, baseRef }) => state === 'open' && baseRef === work.baseRef);
    const body = pullBody(work.content);
    return open
      ? this.github.pulls.update(ref, open.number, { title, body })
      : this.github.pulls.open(ref, { title, head: work.branch, base: work.baseRef, body });
  }

  /** Asks the teams. A team that the host does not accept does not stand in the way: its condition tells. */
  async askForReviews({ ref, teams }: EvidencePullWork, number: number): Promise<void> {
    if (teams.length === 0) return;
    try {
      await this.github.pulls.requestTeamReviews(ref, number, teams);
    } catch (error) {
      if (!GitHubError.is(error, 'invalid', 'conflict', 'not_found', 'forbidden')) throw error;
    }
  }
}
