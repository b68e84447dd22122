import { Injectable } from '@nestjs/common';
import type { Sha } from '../../../domain/facts/facts.js';
import { fileIntegrity, type FoundEntry } from '../../../domain/repository/file-integrity.js';
import { MANAGED_WORKFLOWS, WORKFLOW_FOLDER } from '../../../domain/repository/managed-files.js';
import type { FolderEntry } from '../../../github/api/repositories.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { PublishedRevisions } from '../workflow-files/published-revisions.reader.js';
import type { BranchHead, BranchLook } from './watch-state.js';

/** What of a branch's past decides about a file that is not there. */
export interface BranchPast {
  /** The files that are watched. */
  readonly watched: readonly string[];
  /** Those that the branch is known to have had. */
  readonly had: readonly string[];
}

/** Looks at the managed workflow files at the head of a branch. */
@Injectable()
export class BranchExamination {
  constructor(
    private readonly github: GitHubGateway,
    private readonly revisions: PublishedRevisions,
  ) {}

  async examine(ref: RepositoryRef, head: BranchHead, { watched, had }: BranchPast): Promise<BranchLook> {
    const { value: entries } = await this.github.repositories.folder(ref, WORKFLOW_FOLDER, head.sha);
    const [present, published, tampered]: [string[], string[], string[]] = [[], [], []];
    for (const path of MANAGED_WORKFLOWS) {
      // By its exact name: to the host, and to who runs the workflow, another case is another file.
      const entry = entries?.find(({ name }) => `${WORKFLOW_FOLDER}/${name}` === path);
      const isPublished = entry?.isFile === true && (await this.revisions.isPublished(null, path, entry.sha));
      if (entry) present.push(path);
      if (isPublished) published.push(path);
      if (!watched.includes(path)) continue;
      const found = entry ? foundOf(entry) : await this.absent(ref, head.sha, path, had);
      if (fileIntegrity(found, () => isPublished) === 'tampered') tampered.push(path);
    }
    return { ...head, present, published, tampered };
  }

  private async absent(ref: RepositoryRef, sha: Sha, path: string, had: readonly string[]): Promise<FoundEntry> {
    const everThere = had.includes(path) || (await this.github.commits.touches(ref, sha, path)).value;
    return { kind: 'absent', everThere };
  }
}

const foundOf = ({ isFile, sha }: FolderEntry): FoundEntry =>
  isFile ? { kind: 'file', blobSha: sha } : { kind: 'other' };
