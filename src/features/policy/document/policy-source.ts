import { isUtf8 } from 'node:buffer';
import type { PolicyProblem } from '../../../domain/policy/policy.js';

/** Largest `sdlc.yaml`, in bytes. */
const MAX_POLICY_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
/** What YAML allows nowhere (YAML 1.2.2 § 5.1), and a carriage return that ends no line: an editor shows neither. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|\r(?!\n)|\p{Cs}|\uFEFF/u;

export type PolicyText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: PolicyProblem };

/** The document as text: UTF-8 of bounded size, without what cannot be seen. A byte order mark at its start is skipped. */
export function decodePolicySource(source: string | Uint8Array): PolicyText {
  const size = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (size > MAX_POLICY_BYTES)
    return refuse(null, null, `The file has ${size} bytes; the most is ${MAX_POLICY_BYTES}.`);
  if (typeof source !== 'string' && !isUtf8(source)) return refuse(brokenLine(source), null, encodingProblem(source));
  const text = (typeof source === 'string' ? source : Buffer.from(source).toString('utf8')).replace(/^\uFEFF/, '');
  const at = text.search(INVISIBLE);
  if (at === -1) return { ok: true, text };
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return refuse(line, column, invisibleProblem(text.charCodeAt(at)));
}

const refuse = (line: number | null, column: number | null, message: string): PolicyText => ({
  ok: false,
  problem: { line, column, key: '', message },
});

function encodingProblem(source: Uint8Array): string {
  const [first, second] = source;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? 'The file is UTF-16; save it as UTF-8.' : 'The file is not UTF-8; save it as UTF-8.';
}

function invisibleProblem(code: number): string {
  if (code === 0x0d) return 'A carriage return stands alone; end lines with LF or CRLF.';
  return `The invisible character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed here.`;
}

/** 1-based line of the first that is no UTF-8; a line feed is never part of a longer sequence. */
function brokenLine(source: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < source.length; line += 1) {
    const feed = source.indexOf(LINE_FEED, start);
    const end = feed === -1 ? source.length : feed + 1;
    if (!isUtf8(source.subarray(start, end))) return line;
    start = end;
  }
  return line;
}
