import { createHash, randomBytes } from 'node:crypto';
import type { ReportContent } from '../../src/features/evidence/storage/report-store.js';
import { toBlocks } from '../../src/http/body/byte-blocks.js';

/** Content as a stream, and its bytes. */
interface GivenContent extends ReportContent {
  readonly bytes: Uint8Array;
}

export const contentOf = (bytes: Uint8Array): GivenContent => ({
  bytes,
  blocks: toBlocks(bytes),
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
export const someContent = (size = 100): GivenContent => contentOf(randomBytes(size));
