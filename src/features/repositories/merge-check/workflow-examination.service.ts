import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { ComparisonFact, Sha } from '../../../domain/facts/facts.js';
import type { ChangeFinding } from '../../../domain/repository/change-finding.js';
import { MANAGED_WORKFLOWS, WORKFLOW_FOLDER } from '../../../domain/repository/managed-files.js';
import { judgeWorkflowChange } from '../../../domain/repository/workflow-change.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { WatchReader } from '../tampering/watch.reader.js';
import { PublishedRevisions } from '../workflow-files/published-revisions.reader.js';

interface Reached {
  readonly orgId: OrgId;
  readonly repository: GovernedRepository;
  readonly ref: RepositoryRef;
}

/** What lies at each path of the folder, by git's name of it. */
type Workflows = ReadonlyMap<string, Sha>;

/** Stands for a link, a folder or another repository: git's name of a link may well be that of a published file. */
const NO_FILE: Sha = 'no file';

/** Finds out what a change does to the managed workflow files. */
@Injectable()
export class WorkflowExamination {
  constructor(
    private readonly github: GitHubGateway,
    private readonly revisions: PublishedRevisions,
    private readonly watches: WatchReader,
    private readonly database: Database,
  ) {}

  async examine(
    { orgId, repository, ref }: Reached,
    comparison: ComparisonFact,
    sha: Sha,
  ): Promise<Pick<ChangeFinding, 'foreign' | 'installed'>> {
    const named = new Set(comparison.files.map(({ path }) => path));
    const suspects = MANAGED_WORKFLOWS.filter((path) => !comparison.filesComplete || named.has(path));
    const [foreign, installed]: [string[], string[]] = [[], []];
    if (suspects.length === 0) return { foreign, installed };
    const watch = await this.database.inTenant(orgId, (tx) => this.watches.find(tx, repository.id));
    const before = await this.workflowsAt(ref, comparison.mergeBaseSha);
    const after = await this.workflowsAt(ref, sha);
    for (const path of suspects) {
      const change = { before: before.get(path) ?? null, after: after.get(path) ?? null };
      // A list of files that was cut short names neither what it changes nor what it leaves alone.
      if (change.before === change.after) continue;
      const published = await this.publishedOf(path, Object.values(change));
      const isInstalled = watch?.files.includes(path) === true;
      const judged = judgeWorkflowChange(change, { isInstalled, isPublished: (blobSha) => published.has(blobSha) });
      if (judged === 'foreign') foreign.push(path);
      if (judged === 'published') installed.push(path);
    }
    return { foreign, installed };
  }

  private async workflowsAt(ref: RepositoryRef, sha: Sha): Promise<Workflows> {
    const { value: entries } = await this.github.repositories.folder(ref, WORKFLOW_FOLDER, sha);
    return new Map(
      (entries ?? []).map(({ name, isFile, sha: blobSha }) => [
        `${WORKFLOW_FOLDER}/${name}`,
        isFile ? blobSha : NO_FILE,
      ]),
    );
  }

  private async publishedOf(path: string, shas: readonly (Sha | null)[]): Promise<ReadonlySet<Sha>> {
    const published = new Set<Sha>();
    for (const sha of shas) {
      if (sha !== null && (await this.revisions.isPublished(null, path, sha))) published.add(sha);
    }
    return published;
  }
}
