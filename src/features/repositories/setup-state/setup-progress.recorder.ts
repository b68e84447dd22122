import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { SetupStep } from '../../../domain/repository/setup-state.js';
import { EventsRecorder } from '../../../events/events.recorder.js';

/** Writes down how far the set-up of a repository went from its merge on. One that was never bootstrapped stays as it is. */
@Injectable()
export class SetupProgress {
  constructor(
    private readonly events: EventsRecorder,
    private readonly clock: Clock,
  ) {}

  /** Its branches are about to be protected, for the first time or after that failed. */
  async protectionPending(tx: TenantTx, repositoryId: string): Promise<void> {
    await this.move(tx, repositoryId, ['merged', 'protection_failed'], 'protection_pending');
  }

  /** Its branches are protected, or cannot be. A set-up that was complete stays so: what holds now is told elsewhere. */
  async protectionSettled(tx: TenantTx, repositoryId: string, outcome: 'complete' | 'failed'): Promise<void> {
    const from: readonly SetupStep[] = ['merged', 'protection_pending', 'protection_failed'];
    await this.move(tx, repositoryId, from, outcome === 'complete' ? 'complete' : 'protection_failed');
  }

  private async move(tx: TenantTx, repositoryId: string, from: readonly SetupStep[], to: SetupStep): Promise<void> {
    const moved = await tx.query(
      `update repository_setup set step = $3, changed_at = $4
       where repository_id = $1 and step = any($2::text[]) and step <> $3 returning repository_id`,
      [repositoryId, from, to, this.clock.now()],
    );
    if (moved.length > 0) await this.events.emit(tx, { type: 'repo.updated', repositoryId });
  }
}
