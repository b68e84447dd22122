import { promisify } from 'node:util';
import { inflateRaw, type ZlibOptions } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { BLOCK_BYTES } from '../../../http/body/byte-blocks.js';
import type { ContentLocation } from './report-store.js';

const inflate = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw);

const NOTHING = Buffer.alloc(0);

/** Where content lies. */
export interface ContentPlace {
  /** Its address outside the database; null where it lies here. */
  readonly location: string | null;
  /** How many blocks follow the bytes of its own row. */
  readonly blocks: number;
}

/** Nothing of what is no block any more, which the digest will tell. */
const inflated = (block: Buffer): Promise<Buffer> =>
  inflate(block, { maxOutputLength: BLOCK_BYTES }).catch(() => NOTHING);

/** What the row holds of content that lies somewhere else. */
const ELSEWHERE = { bytes: new Uint8Array(), deflated: [] };

/** Content that lies where it will be read, and waits for the rows that speak of it. */
export interface LocatedContent {
  readonly sha256: string;
  /** In bytes, as it was uploaded. */
  readonly size: number;
  readonly placement: ContentLocation;
}

/** What content a workspace has, and where it lies. Notes what content a workspace has, once under each digest. */
@Injectable()
export class ReportContentsRepository {
  constructor(private readonly database: Database) {}

  /** Null where the workspace has no such content. */
  async find(orgId: OrgId, sha256: string): Promise<ContentPlace | null> {
    const [place] = await this.database.inTenant(orgId, (tx) =>
      tx.query<ContentPlace>(
        `select location, (select count(*)::int from report_content_block p where p.sha256 = c.sha256) as blocks
         from report_content c where sha256 = $1`,
        [sha256],
      ),
    );
    return place ?? null;
  }

  /** The bytes of the rows, a megabyte in memory at a time; no transaction is open while a reader takes its time. */
  async *read(orgId: OrgId, sha256: string, blocks: number): AsyncGenerator<Buffer> {
    // What was kept before there were blocks is in one row, whatever its size.
    for (let from = 1; ; from += BLOCK_BYTES) {
      const slice = await this.readRow(
        orgId,
        `select substring(bytes from $2 for $3) as bytes from report_content where sha256 = $1`,
        [sha256, from, BLOCK_BYTES],
      );
      if (slice.length > 0) yield slice;
      if (slice.length < BLOCK_BYTES) break;
    }
    for (let position = 1; position <= blocks; position += 1) {
      const deflated = await this.readRow(
        orgId,
        `select deflated as bytes from report_content_block where sha256 = $1 and position = $2`,
        [sha256, position],
      );
      yield await inflated(deflated);
    }
  }

  /** Nothing where there is no such row: whoever reads holds all of it against the digest. */
  private async readRow(orgId: OrgId, sql: string, params: readonly unknown[]): Promise<Buffer> {
    const [row] = await this.database.inTenant(orgId, (tx) => tx.query<{ readonly bytes: Buffer }>(sql, params));
    return row?.bytes ?? NOTHING;
  }

  /** Answers how many bytes that has stored, wherever they lie: none where the content was there already. */
  async record(tx: TenantTransaction, { sha256, size, placement }: LocatedContent): Promise<number> {
    const { bytes, deflated, location } = { ...ELSEWHERE, location: null, ...placement };
    const recorded = await tx.query(
      `insert into report_content (org_id, sha256, bytes, location) values ($1, $2, $3, $4)
       on conflict (org_id, sha256) do nothing returning sha256`,
      [tx.orgId, sha256, bytes, location],
    );
    // Whoever recorded it has recorded all of it: this waited for the end of their transaction.
    if (recorded.length === 0) return 0;
    for (const [index, block] of deflated.entries()) {
      await tx.query(`insert into report_content_block (org_id, sha256, position, deflated) values ($1, $2, $3, $4)`, [
        tx.orgId,
        sha256,
        index + 1,
        block,
      ]);
    }
    return location === null ? deflated.reduce((sum, { length }) => sum + length, bytes.length) : size;
  }
}
