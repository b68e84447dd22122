import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import {
  type ScopeAction,
  type ScopeChange,
  type ScopedIssue,
  scopeFinding,
} from '../../domain/release/scope-change.js';
import type { RepositoryRef } from '../../github/repository-ref.js';
import { OutcomeUnknown } from './outcome-unknown.js';
import { ScopeClaims } from './scope-claims.service.js';
import type { ScopeClaim } from './scope-claims.repository.js';
import { ScopeFacts } from './scope-facts.service.js';
import { ScopeHost } from './scope-host.service.js';
import { ScopeLog } from './scope-log.recorder.js';
import {
  assigneeMeansNothing,
  assigneeNeeded,
  cancelledRelease,
  closedIssue,
  inAnotherScope,
  outsideScope,
  shippedAlready,
} from './scope-refusal.js';
import { ScopeWriters } from './scope-writers.service.js';
import { type ScopedRelease, ScopedReleases } from './scoped-releases.reader.js';

/** What a member asks to be changed; `assignee` is null where none was named. */
export interface ScopeOrder {
  readonly action: ScopeAction;
  readonly number: number;
  readonly assignee: string | null;
}

/** `synced` where the release was thought over with the change; else that is under way. */
export interface ScopeOutcome {
  readonly saved: true;
  readonly synced: boolean;
}

/** A change that is as it should be on GitHub, and whether it was this request that made it so. */
interface Saved {
  readonly issue: ScopedIssue;
  readonly changed: boolean;
}

/** Changes the scope of releases, and who owns an issue of it, on GitHub and as the person who asks. */
@Injectable()
export class ScopeChanges {
  constructor(
    private readonly database: Database,
    private readonly releases: ScopedReleases,
    private readonly writers: ScopeWriters,
    private readonly claims: ScopeClaims,
    private readonly host: ScopeHost,
    private readonly facts: ScopeFacts,
    private readonly log: ScopeLog,
  ) {}

  /**
   * What is so already is saved again without a word to GitHub. Throws `not_found` for a release that the person may not
   * read and an issue that is none or not in scope, `forbidden` without triage, `conflict` for what is shipped, closed or
   * another release's, `unprocessable` for an owner whom GitHub does not take.
   */
  async change(member: Member, releaseId: string, order: ScopeOrder): Promise<ScopeOutcome> {
    const change = changeOf(order);
    const release = await this.releases.require(member.viewer, releaseId);
    if (release.shipped) throw shippedAlready();
    if (release.cancelled && change.action === 'link') throw cancelledRelease();
    const writer = await this.writers.verify(member.person, release.repository.ref);
    const wanted = { repositoryId: release.repository.id, issueNumber: change.number, releaseId };
    const known = await this.claims.hold(member.orgId, wanted, async (claim) => {
      const saved = await this.save(member, release, change, writer);
      return this.keep(member, release, { ...saved, change, claim });
    });
    const settled = await this.facts.settle(member, release);
    return { saved: true, synced: known && settled };
  }

  private async save(
    member: Member,
    release: ScopedRelease,
    change: ScopeChange,
    writer: RepositoryRef,
  ): Promise<Saved> {
    const issue = await this.host.read(release, change.number);
    const finding = scopeFinding(change, issue, release.milestoneGithubId);
    if (finding === 'done') return { issue, changed: false };
    if (finding === 'closed') throw closedIssue(change.number);
    if (finding === 'elsewhere') throw inAnotherScope(change.number, issue.milestone?.title ?? '');
    if (finding === 'outside') throw outsideScope(change.number, release.version);
    return { issue: await this.make(member, release, change, writer), changed: true };
  }

  private async make(
    member: Member,
    release: ScopedRelease,
    change: ScopeChange,
    writer: RepositoryRef,
  ): Promise<ScopedIssue> {
    try {
      return await this.host.make(member.person, writer, release, change);
    } catch (error) {
      if (error instanceof OutcomeUnknown) {
        await this.database.inTenant(member.orgId, (tx) =>
          this.facts.doubt(tx, release.repository.id, release.milestoneNumber),
        );
      }
      throw error;
    }
  }

  /** In one transaction with the end of the claim: whoever ships the release finds one of the two. */
  private async keep(
    member: Member,
    release: ScopedRelease,
    saved: Saved & { readonly change: ScopeChange; readonly claim: ScopeClaim },
  ): Promise<boolean> {
    const seen = await this.facts.look(release);
    return this.database.inTenant(member.orgId, async (tx) => {
      const known = await this.facts.keep(tx, release, { ...saved, seen });
      await this.claims.end(tx, saved.claim);
      if (saved.changed) await this.log.changed(tx, member.person, release, saved.change);
      return known;
    });
  }
}

function changeOf({ action, number, assignee }: ScopeOrder): ScopeChange {
  if (action === 'assign' || action === 'unassign') {
    if (assignee === null) throw assigneeNeeded();
    return { action, number, assignee };
  }
  if (assignee !== null) throw assigneeMeansNothing(action);
  return { action, number };
}
