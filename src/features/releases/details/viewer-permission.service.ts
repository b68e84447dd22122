import { Injectable } from '@nestjs/common';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { TokenBuckets } from '../../../concurrency/token-bucket.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { factExpiresAt } from '../../../domain/facts/facts.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactReaderService } from '../facts/fact-reader.service.js';
import { FactsService } from '../facts/facts.service.js';
import { ObservationsRepository } from '../facts/observations.repository.js';

/** How long a user waits for GitHub, in milliseconds. The facts of the release are read at the same time with the same deadline. */
const DEADLINE_MS = 3_000;
/**
 * How many permissions of viewers a workspace may read at once, and then per second. Each is one call. GitHub limits the calls of
 * an installation, and the gates need some of them.
 */
const READS_AT_ONCE = 60;
const READS_PER_SECOND = 1;

/** Reads from GitHub what a user may do in the repository of a release, while the user waits for the release. */
@Injectable()
export class ViewerPermissionService {
  readonly #reads = new SingleFlight<void>();
  readonly #budgets: TokenBuckets;

  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly factReader: FactReaderService,
    private readonly facts: FactsService,
    private readonly clock: Clock,
  ) {
    this.#budgets = new TokenBuckets(READS_AT_ONCE, READS_PER_SECOND, clock);
  }

  /** Saves the permission of the user. Nothing is read while the stored one is fresh or above the budget of the workspace. */
  async refresh(orgId: OrgId, releaseId: string, login: string): Promise<void> {
    await this.#reads.run(`${orgId}/${releaseId}/${login}`, () => this.read(orgId, releaseId, login));
  }

  private async read(orgId: OrgId, releaseId: string, login: string): Promise<void> {
    const fact = { kind: 'permission', key: login } as const;
    const { repository, stored } = await this.database.inTenant(orgId, async (tx) => {
      const found = await this.repos.findByRelease(tx, releaseId);
      return { repository: found, stored: found ? await this.observations.list(tx, found.id, [fact]) : [] };
    });
    const now = this.clock.now().getTime();
    if (!repository?.ref || stored.some((one) => factExpiresAt(one) > now)) return;
    if (!this.#budgets.get(orgId).consume()) return;
    const { observations } = await this.factReader.read({ ...repository, orgId, ref: repository.ref }, [fact], {
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await this.database.inTenant(orgId, (tx) =>
      this.facts.saveAndInvalidate(tx, repository.id, observations, { cause: 'live look' }),
    );
  }
}
