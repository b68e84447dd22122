import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import {
  type ScopeAction,
  type ScopeChange,
  type ScopedIssue,
  checkScopeChange,
} from '../../../domain/release/scope-change.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { ScopeFactsService } from './scope-facts.service.js';
import { ScopeGitHubService } from './scope-github.service.js';
import type { ScopeLock } from './scope-locks.repository.js';
import { ScopeLocksService } from './scope-locks.service.js';
import {
  assigneeNotAllowed,
  assigneeRequired,
  releaseCancelled,
  issueClosed,
  issueInOtherRelease,
  ChangeOutcomeUnknownError,
  issueNotInScope,
  releaseAlreadyShipped,
} from './scope.errors.js';
import { type ScopedRelease, ScopeRepository } from './scope.repository.js';

/** What a member asks to be changed; `assignee` is null where none was named. */
export interface ScopeChangeCommand {
  readonly action: ScopeAction;
  readonly number: number;
  readonly assignee: string | null;
}

/** `synced` where the release was thought over with the change; else that is under way. */
export interface ScopeOutcome {
  readonly saved: true;
  readonly synced: boolean;
}

/** An issue as it is on GitHub, and whether that is as the change wants it. */
interface Examined {
  readonly issue: ScopedIssue;
  readonly isMade: boolean;
}

/** What is to be kept of a change; `claim` is null where nothing had to be made. */
interface Saved {
  readonly change: ScopeChange;
  readonly issue: ScopedIssue;
  readonly changed: boolean;
  readonly claim: ScopeLock | null;
}

/** Changes the scope of releases, and who owns an issue of it, on GitHub and as the person who asks. */
@Injectable()
export class ScopeService {
  constructor(
    private readonly database: Database,
    private readonly releases: ScopeRepository,
    private readonly writers: ScopeGitHubService,
    private readonly claims: ScopeLocksService,
    private readonly facts: ScopeFactsService,
    private readonly standing: ReleasesQueries,
  ) {}

  /**
   * What is so already is saved again without a word to GitHub. Throws `not_found` for a release that the person may not
   * read and an issue that is none or not in scope, `forbidden` without triage, `conflict` for what is shipped, closed or
   * another release's, `unprocessable` for an owner whom GitHub does not take.
   */
  async change(member: Member, releaseId: string, order: ScopeChangeCommand): Promise<ScopeOutcome> {
    const change = toScopeChange(order);
    const release = await this.releases.getRelease(member.viewer, releaseId);
    if (release.shipped) throw releaseAlreadyShipped();
    if (release.cancelled && change.action === 'link') throw releaseCancelled();
    const writer = await this.writers.verify(member.person, release.repository.ref);
    const found = await this.examine(writer, release, change);
    const known = found.isMade
      ? await this.keep(member, release, { change, issue: found.issue, changed: false, claim: null })
      : await this.make(member, release, change, writer);
    const settled = await this.facts.evaluate(member, release);
    return { saved: true, synced: known && settled };
  }

  /** Throws where the change is refused as the issue stands. */
  private async examine(writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<Examined> {
    const issue = await this.writers.read(writer, change.number);
    const finding = checkScopeChange(change, issue, release.milestoneGithubId);
    if (finding === 'closed') throw issueClosed(change.number);
    if (finding === 'elsewhere') throw issueInOtherRelease(change.number, issue.milestone?.title ?? '');
    if (finding === 'outside') throw issueNotInScope(change.number, release.version);
    return { issue, isMade: finding === 'done' };
  }

  /** Looks again once nobody else changes the issue: others may have come first. */
  private async make(
    member: Member,
    release: ScopedRelease,
    change: ScopeChange,
    writer: RepositoryRef,
  ): Promise<boolean> {
    const wanted = { repositoryId: release.repository.id, issueNumber: change.number, releaseId: release.id };
    try {
      return await this.claims.withLock(member.orgId, wanted, async (claim) => {
        const found = await this.examine(writer, release, change);
        if (found.isMade) return this.keep(member, release, { change, issue: found.issue, changed: false, claim });
        const issue = await this.writers.apply(member.person, writer, release, change);
        return this.keepMade(member, release, { change, issue, changed: true, claim });
      });
    } catch (error) {
      if (error instanceof ChangeOutcomeUnknownError) {
        await this.database.inTenant(member.orgId, async (tx) => {
          await this.facts.invalidate(tx, release.repository.id, release.milestoneNumber);
          await this.releases.changed(tx, { asker: member, release, change, confirmed: false });
        });
      }
      throw error;
    }
  }

  /** What GitHub made and could not be kept is as good as unknown: the issue is left alone until deliveries have told of it. */
  private async keepMade(member: Member, release: ScopedRelease, saved: Saved): Promise<boolean> {
    try {
      return await this.keep(member, release, saved);
    } catch (error) {
      throw error instanceof ChangeOutcomeUnknownError ? error : new ChangeOutcomeUnknownError(error);
    }
  }

  /**
   * In one transaction with the end of the claim: whoever ships the release finds one of the two. Without a claim, or with
   * one that ran out meanwhile, the release may be shipped already.
   */
  private async keep(member: Member, release: ScopedRelease, saved: Saved): Promise<boolean> {
    const seen = await this.facts.readIssues(release);
    return this.database.inTenant(member.orgId, async (tx) => {
      const known = await this.facts.saveChange(tx, release, { ...saved, seen });
      // Afterwards: facts that were others hold the release from there on, and those that were the same ship with it.
      if (await this.standing.isShipped(tx, release.id)) {
        throw saved.changed
          ? new ChangeOutcomeUnknownError('the release was shipped meanwhile')
          : releaseAlreadyShipped();
      }
      if (saved.claim !== null) await this.claims.end(tx, saved.claim);
      if (saved.changed) {
        await this.releases.changed(tx, { asker: member, release, change: saved.change, confirmed: true });
      }
      return known;
    });
  }
}

function toScopeChange({ action, number, assignee }: ScopeChangeCommand): ScopeChange {
  if (action === 'assign' || action === 'unassign') {
    if (assignee === null) throw assigneeRequired();
    return { action, number, assignee };
  }
  if (assignee !== null) throw assigneeNotAllowed(action);
  return { action, number };
}
