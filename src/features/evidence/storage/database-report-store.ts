import { promisify } from 'node:util';
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib';
import type { OrgId } from '../../../database/ids.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import type { DatabaseContent, ReportContent, ReportStore } from './report-store.js';

const deflate = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw);

const NOTHING = new Uint8Array();

/** Stores content in the database, in the transaction that inserts its row. */
export class DatabaseReportStore implements ReportStore {
  /** Compresses the content: text shrinks to about a tenth, and compressing it takes less time than writing it. */
  async store(_orgId: OrgId, { blocks: [first = NOTHING, ...rest] }: ReportContent): Promise<DatabaseContent> {
    return { bytes: first, deflated: await deflateEach(rest) };
  }
}

/** Compresses one block after the other, because the thread pool of Node also serves files and connections. */
async function deflateEach(blocks: Blocks): Promise<readonly Uint8Array[]> {
  const deflated: Uint8Array[] = [];
  for (const block of blocks) deflated.push(await deflate(block, { level: constants.Z_BEST_SPEED }));
  return deflated;
}
