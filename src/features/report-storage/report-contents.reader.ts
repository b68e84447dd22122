import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';

/** As much as is read from a row at once: what was kept before there were pieces is in one row, whatever its size. */
const SLICE_BYTES = 1_048_576;

/** Where content lies. */
export interface ContentPlace {
  /** Its address outside the database; null where it lies here. */
  readonly location: string | null;
  /** How many pieces follow the bytes of its own row. */
  readonly pieces: number;
}

/** What content a workspace has, and where it lies. */
@Injectable()
export class ReportContentsReader {
  constructor(private readonly database: Database) {}

  /** Null where the workspace has no such content. */
  async find(orgId: OrgId, sha256: string): Promise<ContentPlace | null> {
    const [place] = await this.database.inTenant(orgId, (tx) =>
      tx.query<ContentPlace>(
        `select location, (select count(*)::int from report_content_piece p where p.sha256 = c.sha256) as pieces
         from report_content c where sha256 = $1`,
        [sha256],
      ),
    );
    return place ?? null;
  }

  /** The bytes of the rows, a megabyte in memory at a time; no transaction is open while a reader takes its time. */
  async *read(orgId: OrgId, sha256: string, pieces: number): AsyncGenerator<Buffer> {
    for (let from = 1; ; from += SLICE_BYTES) {
      const slice = await this.readOne(
        orgId,
        `select substring(bytes from $2 for $3) as bytes from report_content where sha256 = $1`,
        [sha256, from, SLICE_BYTES],
      );
      if (slice.length > 0) yield slice;
      if (slice.length < SLICE_BYTES) break;
    }
    for (let position = 1; position <= pieces; position += 1) {
      yield await this.readOne(orgId, `select bytes from report_content_piece where sha256 = $1 and position = $2`, [
        sha256,
        position,
      ]);
    }
  }

  /** Empty where there is no such row: whoever reads compares all of it with the digest. */
  private async readOne(orgId: OrgId, sql: string, params: readonly unknown[]): Promise<Buffer> {
    const [row] = await this.database.inTenant(orgId, (tx) => tx.query<{ readonly bytes: Buffer }>(sql, params));
    return row?.bytes ?? Buffer.alloc(0);
  }
}
