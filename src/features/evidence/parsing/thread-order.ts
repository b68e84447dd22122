import type { Blocks } from '../../../http/body/byte-blocks.js';
import { type BodyOrder, type BodyResult, readUploadBody } from '../upload/upload-body.js';
import { readFiles, type ReadingOrder, type ReadingResult } from './report-parsing.js';

/** The work of a thread: it reads the files of an upload, or the JSON that it came as. */
export type ThreadOrder = ReadingOrder | BodyOrder;
export type ThreadResult<Order extends ThreadOrder> = Order extends ReadingOrder ? ReadingResult : BodyResult;

/** The bytes of an order, which are handed over without a copy. */
export function blocksOfOrder(order: ThreadOrder): Blocks {
  if ('files' in order) return order.files.flatMap(({ content }) => content);
  return 'body' in order ? order.body : [...(order.metrics ?? []), ...(order.reports ?? [])];
}

/** Reads, on whatever thread it is called; `blocks` are the bytes of the result, which go back without a copy. */
export function carryOut(order: ThreadOrder): { readonly result: ReadingResult | BodyResult; readonly blocks: Blocks } {
  if ('files' in order) {
    const result = readFiles(order);
    return { result, blocks: 'files' in result ? result.files.flatMap(({ content }) => content) : [] };
  }
  const result = readUploadBody(order);
  if ('rejected' in result) return { result, blocks: [] };
  const { contents, reports } = result.read;
  return { result, blocks: [...contents.flat(), ...reports.flatMap(({ content }) => content)] };
}
