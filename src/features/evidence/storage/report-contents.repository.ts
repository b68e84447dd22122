import { promisify } from 'node:util';
import { inflateRaw, type ZlibOptions } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { BLOCK_BYTES } from '../../../http/body/byte-blocks.js';
import type { ContentLocation } from './report-store.js';

const inflate = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw);

const NOTHING = Buffer.alloc(0);

/** Where the content of a report is stored. */
export interface ContentPlace {
  /** The URL of the object outside the database; null if the content is in the database. */
  readonly location: string | null;
  /** The number of blocks after the bytes of its own row. */
  readonly blocks: number;
  /** When retention deleted the content; null if it is there. */
  readonly removedAt: Date | null;
}

/** Returns nothing for a damaged block. The check of the digest then fails. */
const inflated = (block: Buffer): Promise<Buffer> =>
  inflate(block, { maxOutputLength: BLOCK_BYTES }).catch(() => NOTHING);

/** The row values of content outside the database. */
const ELSEWHERE = { bytes: new Uint8Array(), deflated: [] };

/** Stored content before its row exists. */
export interface LocatedContent {
  readonly sha256: string;
  /** In bytes, as it was uploaded. */
  readonly size: number;
  readonly placement: ContentLocation;
}

interface PlacedBlock {
  /** From 1 on, after the bytes of the row of the content. */
  readonly position: number;
  readonly block: Uint8Array;
}

/** Stores where the content of reports is, once per workspace and digest, and reads content from the database. */
@Injectable()
export class ReportContentsRepository {
  constructor(private readonly database: Database) {}

  /** Returns null if the workspace has no such content. */
  async find(orgId: OrgId, sha256: string): Promise<ContentPlace | null> {
    const [place] = await this.database.inTenant(orgId, (tx) =>
      tx.query<ContentPlace>(
        `select location, removed_at as "removedAt", (select count(*)::int from report_content_block p where p.sha256 = c.sha256) as blocks
         from report_content c where sha256 = $1`,
        [sha256],
      ),
    );
    return place ?? null;
  }

  /** Reads content from the database, one megabyte at a time. No transaction is open between two reads. */
  async *read(orgId: OrgId, sha256: string, blocks: number): AsyncGenerator<Buffer> {
    const first = await this.readRow(orgId, 'select bytes from report_content where sha256 = $1', [sha256]);
    if (first.length > 0) yield first;
    for (let position = 1; position <= blocks; position += 1) {
      const deflated = await this.readRow(
        orgId,
        `select deflated as bytes from report_content_block where sha256 = $1 and position = $2`,
        [sha256, position],
      );
      yield await inflated(deflated);
    }
  }

  /** Returns nothing if there is no such row. The caller checks the digest of the whole content. */
  private async readRow(orgId: OrgId, sql: string, params: readonly unknown[]): Promise<Buffer> {
    const [row] = await this.database.inTenant(orgId, (tx) => tx.query<{ readonly bytes: Buffer }>(sql, params));
    return row?.bytes ?? NOTHING;
  }

  /**
   * Inserts the row of the content, or brings back content that retention deleted. Returns the number of stored bytes, or 0 if
   * the content was stored before. Retention waits until the transaction ends, and then sees the evidence with this content.
   */
  async record(tx: TenantTransaction, { sha256, size, placement }: LocatedContent): Promise<number> {
    const { bytes, deflated, location } = { ...ELSEWHERE, location: null, ...placement };
    const recorded = await tx.query(
      `insert into report_content (org_id, sha256, bytes, location) values ($1, $2, $3, $4)
       on conflict (org_id, sha256) do nothing returning sha256`,
      [tx.orgId, sha256, bytes, location],
    );
    // The insert has waited for the transaction that stored the content, with all of its blocks.
    if (recorded.length === 0 && !(await this.restore(tx, sha256, bytes, location))) return 0;
    for (const batch of toBatches(deflated)) await insertBlocks(tx, sha256, batch);
    return location === null ? deflated.reduce((sum, { length }) => sum + length, bytes.length) : size;
  }

  private async restore(
    tx: TenantTransaction,
    sha256: string,
    bytes: Uint8Array,
    location: string | null,
  ): Promise<boolean> {
    const [row] = await tx.query<{ readonly restored: boolean }>(
      'select restore_report_content($1, $2, $3) as restored',
      [sha256, bytes, location],
    );
    return row?.restored === true;
  }

  /** Lists locations of content that was deleted before the given time and whose files are still in their bucket. */
  async listRemoved(orgId: OrgId, before: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly location: string }>(
        'select location from report_content where removed_at < $1 and location is not null order by removed_at limit $2',
        [before, limit],
      ),
    );
    return rows.map(({ location }) => location);
  }

  /** Notes that the file of deleted content is not in its bucket any more. */
  async clearLocation(orgId: OrgId, location: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) => tx.query('select clear_removed_location($1)', [location]));
  }
}

/** Each batch has at most the bytes of one block, or a single block. */
function toBatches(deflated: readonly Uint8Array[]): readonly (readonly PlacedBlock[])[] {
  const batches: PlacedBlock[][] = [];
  let bytes = 0;
  for (const [index, block] of deflated.entries()) {
    const placed = { position: index + 1, block };
    const last = batches.at(-1);
    if (last && bytes + block.length <= BLOCK_BYTES) last.push(placed);
    else {
      batches.push([placed]);
      bytes = 0;
    }
    bytes += block.length;
  }
  return batches;
}

async function insertBlocks(tx: TenantTransaction, sha256: string, blocks: readonly PlacedBlock[]): Promise<void> {
  const params: unknown[] = [tx.orgId, sha256];
  const rows = blocks.map(({ position, block }) => `($1, $2, $${params.push(position)}, $${params.push(block)})`);
  await tx.query(
    `insert into report_content_block (org_id, sha256, position, deflated) values ${rows.join(', ')}`,
    params,
  );
}
