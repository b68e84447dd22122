import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { FactKey, FactKind, FactValues } from '../../../domain/facts/facts.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactReaderService } from './fact-reader.service.js';
import { ObservationsRepository } from './observations.repository.js';

/** How the host is asked. */
interface Asking {
  /** Called where it has to be. */
  readonly mayAsk?: () => boolean;
  readonly signal?: AbortSignal;
}

/** Answers single facts that never change, from what is stored or else from the host. */
@Injectable()
export class ImmutableFactsService {
  constructor(
    private readonly database: Database,
    private readonly observations: ObservationsRepository,
    private readonly observer: FactReaderService,
    private readonly repos: RepositoriesRepository,
  ) {}

  /** Undefined where the host knows of no such thing, or may not be asked; where it may answer later, its failure is thrown. */
  async read<K extends FactKind & ('comparison' | 'history')>(
    orgId: OrgId,
    releaseId: string,
    wanted: FactKey<K>,
    { mayAsk, signal }: Asking = {},
  ): Promise<FactValues[K] | undefined> {
    const { repository, known } = await this.database.inTenant(orgId, async (tx) => {
      const found = await this.repos.findByRelease(tx, releaseId);
      return { repository: found, known: found ? await this.observations.list(tx, found.id, [wanted]) : [] };
    });
    if (known[0]) return known[0].value as FactValues[K];
    if (!repository?.ref || mayAsk?.() === false) return undefined;
    const { observations, failures } = await this.observer.read(
      { ...repository, ref: repository.ref },
      [wanted],
      signal && { signal },
    );
    const passing = failures.find(({ isTransient }) => isTransient);
    if (passing) throw passing;
    await this.database.inTenant(orgId, (tx) => this.observations.save(tx, repository.id, observations));
    return observations[0]?.value as FactValues[K] | undefined;
  }
}
