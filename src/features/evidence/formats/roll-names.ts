import { constants, gzipSync } from 'node:zlib';
import { TESTS_OF_A_PART } from '../../../domain/quality/packed-roll.js';

/** Names of tests as they are kept, part by part: of all that were added only those of the last part are held as text. */
export class RollNames {
  private readonly packed: Uint8Array[] = [];
  private open: string[] = [];

  add(name: string): void {
    this.open.push(name);
    // At once: what reads a report waits for nothing, so that work handed to others would be held until it has ended.
    if (this.open.length === TESTS_OF_A_PART) this.pack();
  }

  /** Every part in turn; of no name there is none. Nothing is added afterwards. */
  end(): readonly Uint8Array[] {
    if (this.open.length > 0) this.pack();
    return this.packed;
  }

  private pack(): void {
    this.packed.push(gzipSync(JSON.stringify(this.open), { level: constants.Z_BEST_SPEED }));
    this.open = [];
  }
}
