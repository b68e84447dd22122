import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { ComparisonFact, Sha } from '../../../domain/facts/facts.js';
import { MANAGED_WORKFLOWS, WORKFLOW_FOLDER } from '../../../domain/repository/managed-files.js';
import { type ChangeAnalysis, checkWorkflowChange } from '../../../domain/repository/merge-check.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { TamperingService } from '../tampering/tampering.service.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import type { OrgId } from '../../../database/ids.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';

export interface AnalyzedRepository {
  readonly orgId: OrgId;
  readonly repository: Repository;
  readonly ref: RepositoryRef;
}

/** The blob SHA of each path in the workflow folder. */
type Workflows = ReadonlyMap<string, Sha>;

/** Replaces the SHA of a link, a folder or a submodule, because the SHA of a link may equal that of a published file. */
const NO_FILE: Sha = 'no file';

/** Analyzes how a change affects the managed workflow files. */
@Injectable()
export class WorkflowChangeService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflowFiles: WorkflowFilesService,
    private readonly tampering: TamperingService,
    private readonly database: Database,
  ) {}

  async examine(
    { orgId, repository, ref }: AnalyzedRepository,
    comparison: ComparisonFact,
    sha: Sha,
  ): Promise<Pick<ChangeAnalysis, 'foreign' | 'installed'>> {
    const named = new Set(comparison.files.map(({ path }) => path));
    const suspects = MANAGED_WORKFLOWS.filter((path) => !comparison.filesComplete || named.has(path));
    const [foreign, installed]: [string[], string[]] = [[], []];
    if (suspects.length === 0) return { foreign, installed };
    const watch = await this.database.inTenant(orgId, (tx) => this.tampering.findWatch(tx, repository.id));
    const before = await this.workflowsAt(ref, comparison.mergeBaseSha);
    const after = await this.workflowsAt(ref, sha);
    for (const path of suspects) {
      const change = { before: before.get(path) ?? null, after: after.get(path) ?? null };
      // An incomplete list of files shows neither changed nor unchanged files.
      if (change.before === change.after) continue;
      const published = await this.listPublished(path, Object.values(change));
      const isInstalled = watch?.files.includes(path) === true;
      const result = checkWorkflowChange(change, { isInstalled, isPublished: (blobSha) => published.has(blobSha) });
      if (result === 'foreign') foreign.push(path);
      if (result === 'published') installed.push(path);
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

  private async listPublished(path: string, shas: readonly (Sha | null)[]): Promise<ReadonlySet<Sha>> {
    const published = new Set<Sha>();
    for (const sha of shas) {
      if (sha !== null && (await this.workflowFiles.isPublished(null, path, sha))) published.add(sha);
    }
    return published;
  }
}
