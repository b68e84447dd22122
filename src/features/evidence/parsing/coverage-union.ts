import type { Blocks } from '../../../http/body/byte-blocks.js';
import type { Counts } from '../formats/coverage.js';
import { CoveredFiles, decodeLines, encodeLines, LINES } from '../formats/covered-files.js';

/** The encoded lines of several uploads of one run. */
export interface UniteRequest {
  readonly coverage: Blocks;
}

/** The encoded lines of all uploads together, and their counts. */
export interface CoverageUnion {
  readonly united: Blocks[number];
  readonly lines: Counts;
}

/** Unites uploads. Takes time linear in their size. */
export function uniteEncoded({ coverage }: UniteRequest): CoverageUnion {
  const files = new CoveredFiles(LINES);
  for (const upload of coverage) files.addAll(decodeLines(upload));
  return { united: encodeLines(files), lines: files.count() };
}
