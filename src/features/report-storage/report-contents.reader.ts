import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';

/** As much as is read from a row at once. */
const SLICE_BYTES = 1_048_576;

/** What content a workspace has, and where it lies. */
@Injectable()
export class ReportContentsReader {
  constructor(private readonly database: Database) {}

  /** Its address outside the database, null where it lies here; undefined where the workspace has no such content. */
  async findLocation(orgId: OrgId, sha256: string): Promise<string | null | undefined> {
    const [row] = await this.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly location: string | null }>(`select location from report_content where sha256 = $1`, [sha256]),
    );
    return row?.location;
  }

  /** The bytes of the row, a slice in memory at a time; no transaction is open while a reader takes its time. */
  async *read(orgId: OrgId, sha256: string): AsyncGenerator<Buffer> {
    for (let from = 1; ; from += SLICE_BYTES) {
      const [row] = await this.database.inTenant(orgId, (tx) =>
        tx.query<{ readonly slice: Buffer | null }>(
          `select substring(bytes from $2 for $3) as slice from report_content where sha256 = $1`,
          [sha256, from, SLICE_BYTES],
        ),
      );
      const slice = row?.slice;
      if (!slice || slice.length === 0) return;
      yield slice;
      if (slice.length < SLICE_BYTES) return;
    }
  }
}
