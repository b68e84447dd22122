import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { FactKey, FactKind, FactValues } from '../../../domain/facts/facts.js';
import { ReposReader } from '../../../workspaces/repositories.repository.js';
import { Observer } from './fact-reader.service.js';
import { ObservationsReader, ObservationsRecorder } from './observations.repository.js';

/** How the host is asked. */
interface Asking {
  /** Called where it has to be. */
  readonly mayAsk?: () => boolean;
  readonly signal?: AbortSignal;
}

/** Answers single facts that never change, from what is stored or else from the host. */
@Injectable()
export class ReleaseFactReader {
  constructor(
    private readonly database: Database,
    private readonly observations: ObservationsReader,
    private readonly recorder: ObservationsRecorder,
    private readonly observer: Observer,
    private readonly repos: ReposReader,
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
    const { observations, failures } = await this.observer.look(
      { ...repository, ref: repository.ref },
      [wanted],
      signal && { signal },
    );
    const passing = failures.find(({ isPassing }) => isPassing);
    if (passing) throw passing;
    await this.database.inTenant(orgId, (tx) => this.recorder.record(tx, repository.id, observations));
    return observations[0]?.value as FactValues[K] | undefined;
  }
}
