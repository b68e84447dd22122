import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import type { ReleaseCard } from './release-card.js';
import { ReleaseCards } from './release-cards.reader.js';

/** Shows one release as lists do. */
@Injectable()
export class ReleaseCardView {
  constructor(
    private readonly database: Database,
    private readonly cards: ReleaseCards,
    private readonly clock: Clock,
  ) {}

  async read(viewer: Viewer, releaseId: string): Promise<ReleaseCard> {
    const [card] = await this.database.asViewer(viewer, (tx) => this.cards.list(tx, [releaseId], this.clock.now()));
    if (!card) throw noSuchRelease();
    return card;
  }
}
