import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** Who named a client in a forwarding header without being a trusted proxy, and when. */
interface UntrustedForwarder {
  readonly address: string;
  readonly seenAt: Date;
}

/** Keeps the last untrusted forwarder that any process saw. */
@Injectable()
export class ForwarderRecorder {
  constructor(private readonly database: Database) {}

  async note({ address, seenAt }: UntrustedForwarder): Promise<void> {
    await this.database.lookup('note_untrusted_forwarder', 'select note_untrusted_forwarder($1, $2)', [
      address,
      seenAt,
    ]);
  }

  /** Null where none was ever seen. */
  async find(): Promise<UntrustedForwarder | null> {
    const [row] = await this.database.lookup<{ readonly address: string; readonly seen_at: Date }>(
      'find_untrusted_forwarder',
      'select address, seen_at from find_untrusted_forwarder()',
      [],
    );
    return row ? { address: row.address, seenAt: row.seen_at } : null;
  }
}
