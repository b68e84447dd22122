import { Injectable } from '@nestjs/common';
import type { Member, PersonalKeyCaller } from '../../../auth/caller.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import {
  type ScopeAction,
  type ScopeChange,
  type ScopedIssue,
  checkScopeChange,
} from '../../../domain/release/scope-change.js';
import { EventsRepository } from '../../../events/events.repository.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import {
  assigneeNotAllowed,
  assigneeRequired,
  releaseCancelled,
  issueClosed,
  issueInOtherRelease,
  ChangeOutcomeUnknownError,
  issueNotInScope,
  releaseAlreadyShipped,
} from '../releases.errors.js';
import { ScopeFactsService } from './scope-facts.service.js';
import { ScopeGitHubService } from './scope-github.service.js';
import type { ScopeLock } from './scope-locks.repository.js';
import { ScopeLocksService } from './scope-locks.service.js';
import type { ScopeChangeRequest, ScopeChangeResultDto } from './scope.dto.js';
import { type ScopedRelease, ScopeRepository } from './scope.repository.js';

/** An issue on GitHub, and whether it already has the requested change. */
interface ExaminedIssue {
  readonly issue: ScopedIssue;
  readonly isApplied: boolean;
}

/** A change to be saved; `claim` is null if GitHub already had the change. */
interface Saved {
  readonly change: ScopeChange;
  readonly issue: ScopedIssue;
  readonly changed: boolean;
  readonly lock: ScopeLock | null;
}

const ACTIONS = {
  link: 'issue.linked',
  unlink: 'issue.unlinked',
  assign: 'issue.assigned',
  unassign: 'issue.unassigned',
} as const;

/** Changes the scope of releases and the owners of its issues, on GitHub, in the name of the user. */
@Injectable()
export class ScopeService {
  constructor(
    private readonly database: Database,
    private readonly scopes: ScopeRepository,
    private readonly github: ScopeGitHubService,
    private readonly locks: ScopeLocksService,
    private readonly facts: ScopeFactsService,
    private readonly releaseQueries: ReleasesQueries,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * If GitHub already has the change, it is saved without a write to GitHub. Throws `not_found` if the user cannot read the
   * release or the issue does not exist or is out of scope, `forbidden` without triage permission, `conflict` if it is shipped,
   * closed or in another release, `unprocessable` if GitHub does not accept the owner.
   */
  async change(member: Member, releaseId: string, request: ScopeChangeRequest): Promise<ScopeChangeResultDto> {
    const change = toScopeChange(request);
    const { release, writer } = await this.getChangeable(member, releaseId, change.action);
    const found = await this.examine(writer, release, change);
    const isCurrent = found.isApplied
      ? await this.save(member, release, { change, issue: found.issue, changed: false, lock: null })
      : await this.apply(member, release, change, writer);
    const isEvaluated = await this.facts.evaluate(member, release);
    return { saved: true, synced: isCurrent && isEvaluated };
  }

  /**
   * Returns the release, and its repository with the user's token. Throws the errors of `change` that do not depend on an issue.
   */
  async getChangeable(
    { viewer, user }: Member,
    releaseId: string,
    action: ScopeAction,
  ): Promise<{ readonly release: ScopedRelease; readonly writer: RepositoryRef }> {
    const release = await this.scopes.getRelease(viewer, releaseId);
    if (release.shipped) throw releaseAlreadyShipped();
    if (release.cancelled && action === 'link') throw releaseCancelled();
    return { release, writer: await this.github.verify(user, release.repository.ref) };
  }

  /** Throws if the issue does not allow the change. */
  private async examine(writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ExaminedIssue> {
    const issue = await this.github.read(writer, change.number);
    const finding = checkScopeChange(change, issue, release.milestoneGithubId);
    if (finding === 'closed') throw issueClosed(change.number);
    if (finding === 'elsewhere') throw issueInOtherRelease(change.number, issue.milestone?.title ?? '');
    if (finding === 'outside') throw issueNotInScope(change.number, release.version);
    return { issue, isApplied: finding === 'done' };
  }

  /** Checks again once the lock is acquired, because another request may have come first. */
  private async apply(
    member: Member,
    release: ScopedRelease,
    change: ScopeChange,
    writer: RepositoryRef,
  ): Promise<boolean> {
    const key = { repositoryId: release.repository.id, issueNumber: change.number, releaseId: release.id };
    try {
      return await this.locks.withLock(member.orgId, key, async (lock) => {
        const found = await this.examine(writer, release, change);
        if (found.isApplied) return this.save(member, release, { change, issue: found.issue, changed: false, lock });
        const issue = await this.github.apply(member.user, writer, release, change);
        return this.saveApplied(member, release, { change, issue, changed: true, lock });
      });
    } catch (error) {
      if (error instanceof ChangeOutcomeUnknownError) {
        await this.database.inTenant(member.orgId, async (tx) => {
          await this.facts.invalidate(tx, release.repository.id, release.milestoneNumber);
          await this.recordChange(tx, member, release, { change, confirmed: false });
        });
      }
      throw error;
    }
  }

  /**
   * A change that GitHub made and that could not be saved counts as unknown: the issue stays locked until deliveries have
   * reported it.
   */
  private async saveApplied(member: Member, release: ScopedRelease, saved: Saved): Promise<boolean> {
    try {
      return await this.save(member, release, saved);
    } catch (error) {
      throw error instanceof ChangeOutcomeUnknownError ? error : new ChangeOutcomeUnknownError(error);
    }
  }

  /**
   * Saves in the transaction that ends the lock, so that shipping the release finds either the lock or the change. Without a
   * lock, or with an expired one, the release may be shipped already.
   */
  private async save(member: Member, release: ScopedRelease, saved: Saved): Promise<boolean> {
    const seen = await this.facts.readIssues(member.orgId, release);
    return this.database.inTenant(member.orgId, async (tx) => {
      const isCurrent = await this.facts.saveChange(tx, release, { ...saved, seen });
      // Runs after the save: changed facts block the shipping from there on, and unchanged facts ship with it.
      if (await this.releaseQueries.isShipped(tx, release.id)) {
        throw saved.changed
          ? new ChangeOutcomeUnknownError('the release was shipped meanwhile')
          : releaseAlreadyShipped();
      }
      if (saved.lock !== null) await this.locks.end(tx, saved.lock);
      if (saved.changed) {
        await this.recordChange(tx, member, release, { change: saved.change, confirmed: true });
      }
      return isCurrent;
    });
  }

  /** Records a change that was requested from GitHub, and whether GitHub confirmed it. */
  private async recordChange(
    tx: TenantTransaction,
    caller: Member | PersonalKeyCaller,
    release: ScopedRelease,
    { change, confirmed }: { readonly change: ScopeChange; readonly confirmed: boolean },
  ): Promise<void> {
    const { id: milestoneId, version, repository } = release;
    await this.events.append(tx, { type: 'release.updated', repositoryId: repository.id, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id: caller.user.id, login: caller.user.login },
      action: ACTIONS[change.action],
      subject: `${repository.org}/${repository.name}#${change.number}`,
      data: {
        milestoneId,
        version,
        repositoryId: repository.id,
        number: change.number,
        confirmed,
        ...('assignee' in change && { assignee: change.assignee }),
        // Recorded so that the actions of a lost key can be found.
        ...('keyId' in caller && { keyId: caller.keyId }),
      },
      repositoryIds: [repository.id],
    });
  }
}

function toScopeChange({ action, number, assignee }: ScopeChangeRequest): ScopeChange {
  if (action === 'assign' || action === 'unassign') {
    if (assignee === undefined) throw assigneeRequired();
    return { action, number, assignee };
  }
  if (assignee !== undefined) throw assigneeNotAllowed(action);
  return { action, number };
}
