import { promisify } from 'node:util';
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib';
import type { OrgId } from '../../../database/ids.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';

/** The injection token of the store for new content. */
export const REPORT_STORE = Symbol('report store');

/** The content of a report with its digest. */
export interface ReportContent {
  readonly sha256: string;
  readonly blocks: Blocks;
}

/** Content that the database stores. */
interface DatabaseContent {
  /** The first megabyte, not compressed. */
  readonly bytes: Uint8Array;
  /** The following blocks of one megabyte, each compressed by itself (RFC 1951). */
  readonly deflated: readonly Uint8Array[];
}

/** Where content is stored: in the database, or at the URL of an object. */
export type ContentLocation = DatabaseContent | { readonly location: string };

/** Stores the content of reports, once per workspace. */
export interface ReportStore {
  /**
   * Stores the content before its row exists. If the upload fails afterwards, at most an object without a row remains. Throws
   * `unavailable` if the store cannot be reached.
   */
  store(orgId: OrgId, content: ReportContent): Promise<ContentLocation>;
}

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
