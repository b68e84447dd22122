import { Injectable, Logger } from '@nestjs/common';
import pTimeout from 'p-timeout';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import type { OrgId } from '../../../database/ids.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { FactKey, IssueFact, Observation } from '../../../domain/facts/facts.js';
import {
  type ScopeChange,
  type ScopedIssue,
  reflectsChange,
  withChange,
} from '../../../domain/release/scope-change.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { FactHintsRepository } from '../facts/fact-hints.repository.js';
import { FactReaderService } from '../facts/fact-reader.service.js';
import { FactsService } from '../facts/facts.service.js';
import { type NumberedObservation, ObservationsRepository } from '../facts/observations.repository.js';
import type { ScopedRelease } from './scope.repository.js';

const READ_MS = 4_000;
/** How long a caller waits for the evaluation with the new scope, in milliseconds. */
const REFRESH_MS = 3_000;
const CAUSE = 'scope';

/** Updates the facts of a release after a change of its scope. */
@Injectable()
export class ScopeFactsService {
  readonly #logger = new Logger(ScopeFactsService.name);

  constructor(
    private readonly database: Database,
    private readonly factReader: FactReaderService,
    private readonly observations: ObservationsRepository,
    private readonly facts: FactsService,
    private readonly hints: FactHintsRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly clock: Clock,
  ) {}

  /** Returns the issues of the release's milestone from GitHub; null if GitHub does not return them in time. */
  async readIssues(
    orgId: OrgId,
    { repository, milestoneNumber }: ScopedRelease,
  ): Promise<NumberedObservation<'issues'> | null> {
    const keys = [toIssuesKey(milestoneNumber)];
    const { observations } = await this.factReader.read({ ...repository, orgId }, keys, {
      signal: AbortSignal.timeout(READ_MS),
    });
    return (observations[0] as NumberedObservation<'issues'> | undefined) ?? null;
  }

  /**
   * Saves the scope including the change. If GitHub's list is missing or does not show the change yet, the facts with the change
   * count as stale, so that the gate stays closed until they are read again. Returns true if the facts are GitHub's own list.
   */
  async saveChange(
    tx: TenantTransaction,
    { repository: { id }, milestoneNumber }: ScopedRelease,
    { change, issue, seen }: { change: ScopeChange; issue: ScopedIssue; seen: NumberedObservation<'issues'> | null },
  ): Promise<boolean> {
    if (seen !== null && reflectsChange(change, seen.value)) {
      await this.facts.saveAndInvalidate(tx, id, [seen], { cause: CAUSE });
      return true;
    }
    const readNumber = await this.hints.nextIn(tx);
    const key = toIssuesKey(milestoneNumber);
    // Not the late list: the stored facts may contain other changes that it does not show either.
    const known = (await this.findKnown(tx, id, key)) ?? seen?.value;
    if (known) {
      const value = withChange(known, change, issue);
      const observation = { ...key, value, observedAt: this.clock.earliestNow(), readNumber };
      await this.facts.saveAndInvalidate(tx, id, [observation], { cause: CAUSE });
    }
    await this.invalidate(tx, id, milestoneNumber);
    return false;
  }

  /** Marks the scope as stale, because the result of the change is unknown. */
  async invalidate(tx: TenantTransaction, repositoryId: string, milestoneNumber: number): Promise<void> {
    const before = await this.hints.nextIn(tx);
    await this.facts.expire(tx, repositoryId, [toIssuesKey(milestoneNumber)], { cause: CAUSE, before });
  }

  /** Evaluates the release with its new scope. Returns false if that takes longer, and a job does it. */
  async evaluate({ orgId, user }: Member, { id }: ScopedRelease): Promise<boolean> {
    const cause = { cause: CAUSE, actor: user.login };
    const done = this.refresh.refresh(orgId, id, cause).then(
      ({ evaluation, failures }) => evaluation !== null && failures.length === 0,
      (error: unknown) => {
        this.#logger.warn(`Release evaluation postponed: ${id}: ${String(error)}`);
        return false;
      },
    );
    return pTimeout(done, { milliseconds: REFRESH_MS, fallback: () => false });
  }

  private async findKnown(
    tx: TenantTransaction,
    repositoryId: string,
    key: FactKey<'issues'>,
  ): Promise<readonly IssueFact[] | undefined> {
    const [known] = await this.observations.list(tx, repositoryId, [key]);
    return (known as Observation<'issues'> | undefined)?.value;
  }
}

const toIssuesKey = (milestoneNumber: number): FactKey<'issues'> => ({ kind: 'issues', key: String(milestoneNumber) });
