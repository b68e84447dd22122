import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { FactKey, FactKind, FactValues } from '../../../domain/facts/facts.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactReaderService } from './fact-reader.service.js';
import { ObservationsRepository } from './observations.repository.js';

/** How GitHub is read. */
interface ReadOptions {
  /** Called before a request to GitHub. False forbids the request. */
  readonly mayRequest?: () => boolean;
  readonly signal?: AbortSignal;
}

/** Reads single facts that never change, from the database or else from GitHub. */
@Injectable()
export class ImmutableFactsService {
  constructor(
    private readonly database: Database,
    private readonly observations: ObservationsRepository,
    private readonly factReader: FactReaderService,
    private readonly repos: RepositoriesRepository,
  ) {}

  /** Returns undefined if GitHub does not know the fact or may not be read. Throws GitHub's error if a later try may succeed. */
  async read<K extends FactKind & ('comparison' | 'history')>(
    orgId: OrgId,
    releaseId: string,
    key: FactKey<K>,
    { mayRequest, signal }: ReadOptions = {},
  ): Promise<FactValues[K] | undefined> {
    const { repository, known } = await this.database.inTenant(orgId, async (tx) => {
      const found = await this.repos.findByRelease(tx, releaseId);
      return { repository: found, known: found ? await this.observations.list(tx, found.id, [key]) : [] };
    });
    if (known[0]) return known[0].value as FactValues[K];
    if (!repository?.ref || mayRequest?.() === false) return undefined;
    const { observations, failures } = await this.factReader.read(
      { ...repository, orgId, ref: repository.ref },
      [key],
      signal && { signal },
    );
    const transient = failures.find(({ isTransient }) => isTransient);
    if (transient) throw transient;
    await this.database.inTenant(orgId, (tx) => this.observations.save(tx, repository.id, observations));
    return observations[0]?.value as FactValues[K] | undefined;
  }
}
