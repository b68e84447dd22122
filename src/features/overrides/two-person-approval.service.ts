/** What somebody is told whose act the rules do not allow: each sentence says what to do next. */
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import type { TenantTx } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import { BREAK_GLASS_LIFE_MS, confirmationProblem } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { EventsRecorder } from '../../events/events.repository.js';
import { DomainError, noSuchRelease } from '../../http/errors/domain-error.js';
import { AdminOffice } from '../accounts/members/members.repository.js';
import { AuditRecorder } from '../audit/audit.repository.js';
import { RefreshRequests } from '../releases/evaluation/refresh-requests.repository.js';
import { type Judgement, ReleaseEvaluation } from '../releases/evaluation/release-evaluation.service.js';
import { type ActKind, type ActOf, ActsRepository } from './overrides.repository.js';

const noSuchAct = (): DomainError =>
  new DomainError('not_found', 'The release has no such request that stands: it may be over, or withdrawn.');

const shippedAlready = (): DomainError =>
  new DomainError('conflict', 'The release is shipped: nothing of it can be set aside any more.');

const cancelledRelease = (): DomainError =>
  new DomainError('conflict', 'The release is cancelled: reopen its milestone first.');

const noCandidate = (): DomainError =>
  new DomainError('conflict', 'The release has no candidate yet: what is set aside is set aside for one commit.');

export const notTheCandidate = (candidateSha: string): DomainError =>
  new DomainError('conflict', `The candidate is ${candidateSha} now: look at that one, and ask anew.`);

export const notUnmet = (condition: string): DomainError =>
  new DomainError('conflict', `Nothing called ${condition} keeps the release back now.`);

export const unknownCondition = (): DomainError =>
  new DomainError('invalid', 'condition must be the code of a condition that keeps a release back.');

export const notWaivable = (condition: string, why: string): DomainError =>
  new DomainError('unprocessable', `${condition} cannot be waived: ${why}`);

export const badExpiry = (): DomainError => new DomainError('invalid', 'expiresAt must be within the next 7 days.');

export const tooManyActs = (most: number): DomainError =>
  new DomainError('conflict', `${most} requests of this kind stand for the release already: withdraw one first.`);

const ownRequest = (): DomainError =>
  new DomainError('forbidden', 'Nobody confirms their own request: have another admin look at it.');

const confirmedAlready = (): DomainError => new DomainError('conflict', 'It was confirmed already.');

const requesterLeft = (): DomainError =>
  new DomainError('conflict', 'Whoever asked for it is no admin any more: ask for it yourself, and have it confirmed.');

const severalWait = (): DomainError =>
  new DomainError('conflict', 'More than one request waits: confirm the one that you mean by its id.');

/** A release whose row is held, with where it stands by what is known now. */
export interface HeldRelease extends Judgement {
  readonly candidateSha: string;
}

/**
 * Confirms and withdraws what two people set aside. Whoever acts on a release waits for whoever else does, so that of a
 * confirmation and a withdrawal at the same moment one finds the other done.
 */
@Injectable()
export class TwoPersonActs {
  constructor(
    private readonly acts: ActsRepository,
    private readonly office: AdminOffice,
    private readonly evaluations: ReleaseEvaluation,
    private readonly refreshes: RefreshRequests,
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** Holds the release for an admin who wants something of it set aside; throws where there is nothing to set aside. */
  async hold(tx: TenantTx, { person }: Member, releaseId: string): Promise<HeldRelease> {
    await this.office.hold(tx, person.id);
    const judgement = await this.evaluations.judge(tx, releaseId);
    if (!judgement) throw noSuchRelease();
    if (judgement.release.record.shipped) throw shippedAlready();
    if (judgement.verdict.cancelled) throw cancelledRelease();
    const { candidateSha } = judgement.verdict;
    if (candidateSha === null) throw noCandidate();
    return { ...judgement, candidateSha };
  }

  /**
   * Brings a request into force. Throws `forbidden` for one's own, `conflict` where it is in force already, its requester
   * is no admin any more or the candidate is another one now, `not_found` where it was withdrawn or is over.
   */
  async confirm<K extends ActKind>(
    tx: TenantTx,
    kind: K,
    member: Member,
    { releaseId, actId }: { readonly releaseId: string; readonly actId: string },
  ): Promise<ActOf[K]> {
    const { verdict, release, candidateSha } = await this.hold(tx, member, releaseId);
    const now = this.clock.now();
    const act = await this.find(tx, kind, releaseId, actId, now);
    const by = { id: member.person.id, login: member.person.login };
    const problem = confirmationProblem(act, by, now);
    if (problem === 'own') throw ownRequest();
    if (problem === 'confirmed') throw confirmedAlready();
    if (problem === 'expired') throw noSuchAct();
    if (!(await this.acts.isAdmin(tx, act.requestedBy.id))) throw requesterLeft();
    if (!isOfCandidate(act, verdict)) throw notTheCandidate(candidateSha);
    const confirmed = { ...act, confirmedBy: by, confirmedAt: now, expiresAt: endOf(kind, act, now) };
    await this.acts.confirm(tx, kind, confirmed);
    await this.judgeAnew(tx, releaseId, kind, member);
    await this.tell(tx, kind, 'confirmed', member, { judgement: { verdict, release }, act: confirmed });
    return confirmed;
  }

  /** Ends a request, in force or not. Throws `not_found` where it was withdrawn already or is over. */
  async withdraw(
    tx: TenantTx,
    kind: ActKind,
    member: Member,
    { releaseId, actId }: { readonly releaseId: string; readonly actId: string },
  ): Promise<void> {
    await this.office.hold(tx, member.person.id);
    const judgement = await this.evaluations.judge(tx, releaseId);
    if (!judgement) throw noSuchRelease();
    const now = this.clock.now();
    const act = await this.find(tx, kind, releaseId, actId, now);
    await this.acts.withdraw(tx, kind, act.id, member.person, now);
    await this.judgeAnew(tx, releaseId, kind, member);
    await this.tell(tx, kind, 'withdrawn', member, { judgement, act });
  }

  /** The id of the only request that waits; throws `not_found` where none does, `conflict` where several do. */
  async onlyWaiting(tx: TenantTx, kind: ActKind, member: Member, releaseId: string): Promise<string> {
    await this.hold(tx, member, releaseId);
    const waiting = (await this.acts.list(tx, kind, releaseId, this.clock.now())).filter(
      ({ confirmedAt }) => confirmedAt === null,
    );
    const [only, ...others] = waiting;
    if (!only) throw noSuchAct();
    if (others.length > 0) throw severalWait();
    return only.id;
  }

  /** Writes into the audit log what became of a request, and tells whoever follows the workspace. */
  async tell<K extends ActKind>(
    tx: TenantTx,
    kind: K,
    what: 'requested' | 'confirmed' | 'withdrawn',
    { person }: Member,
    { judgement: { release }, act }: { readonly judgement: Judgement; readonly act: ActOf[K] },
  ): Promise<void> {
    const { repositoryId, id: milestoneId } = release;
    await this.events.emit(tx, { type: 'release.updated', repositoryId, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: `${kind}.${what}`,
      subject: release.record.version,
      data: { milestoneId, repositoryId, ...auditedOf(act) },
      repositoryIds: [repositoryId],
    });
  }

  private async find<K extends ActKind>(
    tx: TenantTx,
    kind: K,
    releaseId: string,
    actId: string,
    now: Date,
  ): Promise<ActOf[K]> {
    const act = (await this.acts.list(tx, kind, releaseId, now)).find(({ id }) => id === actId);
    if (!act) throw noSuchAct();
    return act;
  }

  /** At once by what is known, so that nothing is open that no longer should be; and by a job, with what is too old read again. */
  private async judgeAnew(tx: TenantTx, releaseId: string, cause: string, { person }: Member): Promise<void> {
    await this.evaluations.reevaluate(tx, releaseId, { cause, actor: person.login });
    await this.refreshes.askFor(tx, [releaseId], cause);
  }
}

const isOfCandidate = (act: ActOf[ActKind], { candidateShas }: Verdict): boolean =>
  candidateShas.includes('sha' in act ? act.sha : act.candidateSha);

/** The hours of broken glass are counted from its confirmation. */
const endOf = (kind: ActKind, { expiresAt }: ActOf[ActKind], now: Date): Date =>
  kind === 'waiver' ? expiresAt : new Date(now.getTime() + BREAK_GLASS_LIFE_MS);

function auditedOf({ id, reason, requestedBy, confirmedBy, expiresAt, ...act }: ActOf[ActKind]): JsonObject {
  return {
    id,
    reason,
    requestedBy: { ...requestedBy },
    confirmedBy: confirmedBy && { ...confirmedBy },
    expiresAt: expiresAt.toISOString(),
    ...('sha' in act
      ? { sha: act.sha }
      : { condition: act.condition, details: [...act.details], candidateSha: act.candidateSha }),
  };
}
