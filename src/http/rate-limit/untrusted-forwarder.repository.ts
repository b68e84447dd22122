import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** An address that sent a forwarding header without being a trusted proxy. */
interface UntrustedForwarder {
  readonly address: string;
  readonly seenAt: Date;
}

/** Stores the last untrusted forwarder of all processes. */
@Injectable()
export class UntrustedForwarderRepository {
  constructor(private readonly database: Database) {}

  async note({ address, seenAt }: UntrustedForwarder): Promise<void> {
    await this.database.queryWithoutTenant('note_untrusted_forwarder', 'select note_untrusted_forwarder($1, $2)', [
      address,
      seenAt,
    ]);
  }

  /** Returns the last untrusted forwarder. Null if there was none. */
  async find(): Promise<UntrustedForwarder | null> {
    const [forwarder] = await this.database.queryWithoutTenant<UntrustedForwarder>(
      'find_untrusted_forwarder',
      'select address, seen_at as "seenAt" from find_untrusted_forwarder()',
      [],
    );
    return forwarder ?? null;
  }
}
