import { Injectable, Logger } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { ENFORCE_WORKFLOW, MANAGED_WORKFLOWS } from '../../../domain/repository/managed-files.js';
import { EventsRepository } from '../../../events/events.repository.js';
import type { IssueContent, AppIssue } from '../../../github/api/app-issues.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { gfm, hiddenMarker, joined, lines, type Markdown } from '../../../github/markdown.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { TamperingIssuesRepository, type PublishedIssue, type TamperedBranch } from './tampering-issues.repository.js';

/** Writes one issue per tampered workflow file in its repository. */
@Injectable()
export class TamperingIssuesService {
  private readonly logger = new Logger(TamperingIssuesService.name);

  constructor(
    private readonly issues: TamperingIssuesRepository,
    private readonly github: GitHubGateway,
    private readonly repos: RepositoriesRepository,
    private readonly events: EventsRepository,
    private readonly database: Database,
  ) {}

  /** Opens, updates and closes the issues. If GitHub does not accept issues, the gate still stays closed. */
  @JobHandler('update-tampering-issues')
  async update({ orgId, repositoryId }: JobPayload<'update-tampering-issues'>): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    const { ref } = repository;
    for (const path of MANAGED_WORKFLOWS) {
      try {
        await this.updateIssueOfFile(orgId, repositoryId, ref, path);
      } catch (error) {
        // Issues are disabled, the repository is archived, or the app may not write issues.
        if (!GitHubError.is(error, 'forbidden', 'not_found')) throw error;
        this.logger.warn(
          `Tampering issue could not be written at ${ref.owner}/${ref.name} about ${path}: ${error.message}`,
        );
      }
    }
  }

  private async updateIssueOfFile(orgId: OrgId, repositoryId: string, ref: RepositoryRef, path: string): Promise<void> {
    const { branches, issue } = await this.database.inTenant(orgId, (tx) => this.issues.find(tx, repositoryId, path));
    if (branches.length === 0 && issue === null) return;
    const content = tamperingIssue(path, branches);
    const contentDigest = sha256(JSON.stringify(content));
    if (issue?.contentDigest === contentDigest) return;
    // Saved before it is opened, so that a later attempt knows that an issue may exist, also if the file is restored by then.
    if (issue === null) await this.save(orgId, repositoryId, path, { opened: null, contentDigest: null });
    const opened = await this.write(ref, path, issue?.opened ?? null, content);
    await this.save(orgId, repositoryId, path, content.state === 'open' ? { opened, contentDigest } : null);
  }

  private async save(orgId: OrgId, repositoryId: string, path: string, issue: PublishedIssue | null): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      if (issue === null) await this.issues.delete(tx, repositoryId, path);
      else await this.issues.save(tx, repositoryId, path, issue);
      await this.events.append(tx, { type: 'repo.updated', repositoryId });
    });
  }

  /** Returns null if there is no issue and none is needed. */
  private async write(
    ref: RepositoryRef,
    path: string,
    known: AppIssue | null,
    content: IssueContent,
  ): Promise<AppIssue | null> {
    const updated = known && (await this.updateIssue(ref, known.number, content));
    if (updated !== null) return updated;
    const { value: app } = await this.github.installations.app();
    // An earlier attempt may have opened it and lost the response.
    const opened = await this.github.appIssues.find(ref, `${app.slug}[bot]`, tamperingMarker(path).text);
    if (opened !== null) return this.github.appIssues.update(ref, opened.number, content);
    return content.state === 'open' ? this.github.appIssues.create(ref, content) : null;
  }

  /** Returns null if the issue was deleted. */
  private async updateIssue(ref: RepositoryRef, number: number, content: IssueContent): Promise<AppIssue | null> {
    try {
      return await this.github.appIssues.update(ref, number, content);
    } catch (error) {
      if (!GitHubError.is(error, 'not_found')) throw error;
      return null;
    }
  }
}

/** Returns the hidden first line of an issue about the file, by which the issue is found again. */
export const tamperingMarker = (path: string): Markdown => hiddenMarker(`shipgate:tampering:${path}`);

/** Builds the issue about a file: open while it is changed on a branch, else closed. */
export function tamperingIssue(path: string, branches: readonly TamperedBranch[]): IssueContent {
  const title = `Shipgate: ${path} was changed`;
  const paragraphs = branches.length > 0 ? changed(path, branches) : restored(path);
  return {
    title,
    body: joined([tamperingMarker(path), ...paragraphs], gfm`\n\n`),
    state: branches.length > 0 ? 'open' : 'closed',
  };
}

const changed = (path: string, branches: readonly TamperedBranch[]): readonly Markdown[] => [
  gfm`Shipgate manages ${path}. On these branches the file is not a version that Shipgate published:`,
  lines(branches.map(({ branch, since }) => gfm`- ${branch}, found ${since.toISOString()}`)),
  gfm`Until the file is restored, no release can be deployed from these branches.`,
  gfm`${describeRemedy(path)} Any version of the file that Shipgate published is accepted. Then this issue is closed automatically.`,
];

/** A workflow update does not replace an unknown CI file, because it may be the team's own. */
const describeRemedy = (path: string): Markdown =>
  path === ENFORCE_WORKFLOW
    ? gfm`Revert the change, or let Shipgate update its workflow files.`
    : gfm`Revert the change.`;

const restored = (path: string): readonly Markdown[] => [
  gfm`${path} is restored to a version that Shipgate published, on every branch on which it was changed.`,
];
