import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { ReleaseCard } from './release-card.js';
import { ReleaseCards } from './release-cards.reader.js';

const BATCH = 250;

/** Reads any number of releases in the memory of a few. */
@Injectable()
export class ReleaseCardBatches {
  constructor(
    private readonly database: Database,
    private readonly cards: ReleaseCards,
    private readonly clock: Clock,
  ) {}

  /** In the order of the ids. A transaction for each batch: a reader who takes hours over the whole holds none open. */
  async *read(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly ReleaseCard[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await this.database.readAsViewer(viewer, (tx) => this.cards.list(tx, batch, this.clock.now()));
    }
  }
}
