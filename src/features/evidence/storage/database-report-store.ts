import { promisify } from 'node:util';
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib';
import type { OrgId } from '../../../database/ids.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import type { DatabaseContent, ReportContent, ReportStore } from './report-store.js';

const deflate = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw);

const NOTHING = new Uint8Array();

/** Leaves content to the rows that will speak of it, so that all of it is written together or not at all. */
export class DatabaseReportStore implements ReportStore {
  /** A report is text of which a tenth is left: to deflate it costs less than to write it, and holds nobody up. */
  async store(_orgId: OrgId, { blocks: [first = NOTHING, ...rest] }: ReportContent): Promise<DatabaseContent> {
    return { bytes: first, deflated: await deflateEach(rest) };
  }
}

/** One after the other: the threads that do it serve everybody's files and connections, too. */
async function deflateEach(blocks: Blocks): Promise<readonly Uint8Array[]> {
  const deflated: Uint8Array[] = [];
  for (const block of blocks) deflated.push(await deflate(block, { level: constants.Z_BEST_SPEED }));
  return deflated;
}
