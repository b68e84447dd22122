import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { MANAGED_WORKFLOWS, WORKFLOW_FOLDER } from '../../../domain/repository/managed-files.js';
import {
  fileIntegrity,
  type FileState,
  watchedBranches,
  type WatchedBranches,
} from '../../../domain/repository/tampering.js';
import type { FolderEntry } from '../../../github/api/repositories.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { TamperingService, type Watch } from './tampering.service.js';
import {
  type BranchHead,
  type BranchCheck,
  type RepositoryCheck,
  type WatchState,
} from './watched-files.repository.js';

/** The known state of a branch before the check, which decides whether a missing file was removed. */
export interface BranchPast {
  /** The watched files. */
  readonly watched: readonly string[];
  /** The files that the branch is known to have had. */
  readonly had: readonly string[];
}

const toFileState = ({ isFile, sha }: FolderEntry): FileState =>
  isFile ? { kind: 'file', blobSha: sha } : { kind: 'other' };

/** A repository that the app can access, with its watched files. */
interface Watched {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly branches: WatchedBranches;
  readonly watch: Watch;
}

/** Checks the managed workflow files at the heads of all release branches. */
@Injectable()
export class TamperingDetectionService {
  constructor(
    private readonly tampering: TamperingService,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly workflowFiles: WorkflowFilesService,
  ) {}

  /** Checks every branch that moved, before the move is announced. If GitHub does not answer, a job tries again. */
  async check(orgId: OrgId, repositoryId: string): Promise<void> {
    try {
      await this.checkBranches(orgId, repositoryId);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'check-workflow-files', { orgId, repositoryId }),
      );
    }
  }

  /** Runs the check as a job. A permanent rejection of GitHub is left to the next sync and keeps the gate closed. */
  @JobHandler('check-workflow-files')
  async checkOrThrow({ orgId, repositoryId }: JobPayload<'check-workflow-files'>): Promise<void> {
    try {
      await this.checkBranches(orgId, repositoryId);
    } catch (error) {
      if (!(error instanceof GitHubError) || error.isTransient) throw error;
    }
  }

  /** Checks every branch that moved since the last check, because the content of a commit never changes. */
  private async checkBranches(orgId: OrgId, repositoryId: string): Promise<void> {
    const watch = await this.database.inTenant(orgId, (tx) => this.tampering.findWatch(tx, repositoryId));
    if (!watch?.repository.ref) return;
    const { repository } = watch;
    const { defaultBranch } = repository;
    const branches = watchedBranches(defaultBranch, watch.policy);
    const checkBranches = await this.checkMoved({ ref: watch.repository.ref, defaultBranch, branches, watch });
    await this.database.inTenant(orgId, (tx) => this.tampering.record(tx, repository, checkBranches));
  }

  private async checkMoved(where: Watched): Promise<RepositoryCheck> {
    const startedAt = this.clock.now();
    const { defaultBranch, branches, watch } = where;
    const trunk = (await this.listHeads(where, [defaultBranch])).filter(({ branch }) => branch === defaultBranch);
    const first = await this.checkMovedBranches(where, trunk, watch.files);
    const watched = [...new Set([...watch.files, ...first.flatMap(({ published }) => published)])];
    // Without installed files other branches need no check.
    if (watched.length === 0) return { watched, heads: trunk, branches: first, startedAt };
    const others = await this.listHeads(
      where,
      branches.prefixes.filter((prefix) => prefix !== defaultBranch),
    );
    const heads = distinct([...trunk, ...others]);
    const watchesMore = watched.length > watch.state.files.length;
    const again = watchesMore ? heads : heads.slice(trunk.length);
    const checks = await this.checkMovedBranches(where, again, watched);
    return { watched, heads, branches: distinct([...checks, ...first]), startedAt };
  }

  private async listHeads({ ref, branches }: Watched, prefixes: readonly string[]): Promise<readonly BranchHead[]> {
    const heads: BranchHead[] = [];
    for (const prefix of prefixes) {
      const { value: refs, observedAt } = await this.github.branches.listByPrefix(ref, prefix);
      const watched = refs.filter(({ branch }) => branches.includes(branch));
      heads.push(...watched.map(({ branch, sha }) => ({ branch, trunk: branches.isTrunk(branch), sha, observedAt })));
    }
    return distinct(heads);
  }

  private async checkMovedBranches(
    { ref, defaultBranch, watch }: Watched,
    heads: readonly BranchHead[],
    watched: readonly string[],
  ): Promise<readonly BranchCheck[]> {
    const checks: BranchCheck[] = [];
    for (const head of heads) {
      if (!needsCheck(head, watch.state, watched)) continue;
      // Watched files were installed on the default branch, so it had all of them.
      const had = head.branch === defaultBranch ? watched : knownPaths(watch.state, head.branch);
      checks.push(await this.checkBranch(ref, head, { watched, had }));
    }
    return checks;
  }

  async checkBranch(ref: RepositoryRef, head: BranchHead, { watched, had }: BranchPast): Promise<BranchCheck> {
    const { value: entries } = await this.github.repositories.folder(ref, WORKFLOW_FOLDER, head.sha);
    const [present, published, tampered]: [string[], string[], string[]] = [[], [], []];
    for (const path of MANAGED_WORKFLOWS) {
      // File names are case-sensitive.
      const entry = entries?.find(({ name }) => `${WORKFLOW_FOLDER}/${name}` === path);
      const isPublished = entry?.isFile === true && (await this.workflowFiles.isPublished(null, path, entry.sha));
      if (entry) present.push(path);
      if (isPublished) published.push(path);
      if (!watched.includes(path)) continue;
      const found = entry ? toFileState(entry) : await this.absent(ref, head.sha, path, had);
      if (fileIntegrity(found, () => isPublished) === 'tampered') tampered.push(path);
    }
    return { ...head, present, published, tampered };
  }

  private async absent(ref: RepositoryRef, sha: Sha, path: string, had: readonly string[]): Promise<FileState> {
    const everThere = had.includes(path) || (await this.github.commits.hasChangedFile(ref, sha, path)).value;
    return { kind: 'absent', everThere };
  }
}

/**
 * Whether a branch needs a check: if it moved, if files were tampered with, because a revision published since may match
 * them, and if other releases are built from it now, because their gates wait for the check.
 */
const needsCheck = ({ branch, trunk, sha }: BranchHead, state: WatchState, watched: readonly string[]): boolean =>
  watched.length > state.files.length ||
  state.tampered.some((file) => file.branch === branch) ||
  state.branches.every((seen) => seen.branch !== branch || seen.headSha !== sha || seen.trunk !== trunk);

const knownPaths = ({ branches }: WatchState, branch: string): readonly string[] =>
  branches.find((seen) => seen.branch === branch)?.paths ?? [];

/** Removes duplicate branches, because two prefixes may match the same branch. */
const distinct = <H extends BranchHead>(heads: readonly H[]): readonly H[] =>
  [...new Map(heads.toReversed().map((head) => [head.branch, head])).values()].toReversed();
