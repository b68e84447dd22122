import { Injectable, Logger } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { FactKey, IssueFact, Observation } from '../../../domain/facts/facts.js';
import {
  type ScopeChange,
  type ScopedIssue,
  reflectsChange,
  withChange,
} from '../../../domain/release/scope-change.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { FactHints } from '../facts/fact-hints.repository.js';
import { FactReaderService } from '../facts/fact-reader.service.js';
import { FactsRepository } from '../facts/facts.repository.js';
import { type NumberedObservation, ObservationsRepository } from '../facts/observations.repository.js';
import type { ScopedRelease } from './scope.repository.js';

const LOOK_MS = 4_000;
/** How long somebody waits for the release to be thought over with its new scope. */
const REFRESH_MS = 3_000;
const CAUSE = 'scope';

/** Brings what is known of a release in line with a change of its scope. */
@Injectable()
export class ScopeFactsService {
  readonly #logger = new Logger(ScopeFactsService.name);

  constructor(
    private readonly database: Database,
    private readonly observer: FactReaderService,
    private readonly observations: ObservationsRepository,
    private readonly facts: FactsRepository,
    private readonly hints: FactHints,
    private readonly refresh: ReleaseRefreshService,
    private readonly clock: Clock,
  ) {}

  /** The issues of the release's milestone as GitHub lists them now; null where it does not, or not in time. */
  async readIssues({ repository, milestoneNumber }: ScopedRelease): Promise<NumberedObservation<'issues'> | null> {
    const wanted = [issuesOf(milestoneNumber)];
    const { observations } = await this.observer.read(repository, wanted, { signal: AbortSignal.timeout(LOOK_MS) });
    return (observations[0] as NumberedObservation<'issues'> | undefined) ?? null;
  }

  /**
   * Keeps the scope with the change in it, whatever the list of GitHub shows: where that lags behind, or could not be read,
   * the facts have the change and count as too old, so that nothing opens before they are read again. True where they are
   * GitHub's own word.
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
    const key = issuesOf(milestoneNumber);
    // Not the list that lags behind: what is stored may have other changes that it does not show either.
    const known = (await this.findKnown(tx, id, key)) ?? seen?.value;
    if (known) {
      const value = withChange(known, change, issue);
      const made = { ...key, value, observedAt: this.clock.now(), readNumber };
      await this.facts.saveAndInvalidate(tx, id, [made], { cause: CAUSE });
    }
    await this.invalidate(tx, id, milestoneNumber);
    return false;
  }

  /** Lets the scope count as too old, because nobody knows what became of it. */
  async invalidate(tx: TenantTransaction, repositoryId: string, milestoneNumber: number): Promise<void> {
    const before = await this.hints.nextIn(tx);
    await this.facts.expire(tx, repositoryId, [issuesOf(milestoneNumber)], { cause: CAUSE, before });
  }

  /** Thinks the release over with its new scope; false where that is not done yet, and a job does it. */
  async evaluate({ orgId, person }: Member, { id }: ScopedRelease): Promise<boolean> {
    const cause = { cause: CAUSE, actor: person.login };
    const done = this.refresh.refresh(orgId, id, cause).then(
      ({ evaluation, failures }) => evaluation !== null && failures.length === 0,
      (error: unknown) => {
        this.#logger.warn(`The release ${id} is thought over later: ${String(error)}`);
        return false;
      },
    );
    return Promise.race([done, after(REFRESH_MS)]);
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

const issuesOf = (milestoneNumber: number): FactKey<'issues'> => ({ kind: 'issues', key: String(milestoneNumber) });

const after = (milliseconds: number): Promise<false> =>
  new Promise((resolve) => {
    AbortSignal.timeout(milliseconds).addEventListener('abort', () => resolve(false), { once: true });
  });
