/** The number of bytes of a report that are shown. */
export const MAX_TEXT_BYTES = 1_048_576;
/** A longer line continues in the next row, so that one line cannot fill the memory of the page. */
export const ROW_LENGTH = 400;

/** The beginning of a report. */
export interface ReportText {
  readonly lines: readonly string[];
  /** Whether the report is longer. */
  readonly isCut: boolean;
}

/** One row of the text. */
export interface TextRow {
  /** The place among all rows, starting at 0. */
  readonly at: number;
  /** Starting at 1. Null for a row that continues a line. */
  readonly line: number | null;
  readonly text: string;
}

/** Reads at most 1 MB, and ends the download there. */
export async function readReportText(stream: ReadableStream<Uint8Array> | null): Promise<ReportText> {
  const reader = stream?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return decodeText(chunks, false);
    const place = MAX_TEXT_BYTES - length;
    chunks.push(value.subarray(0, place));
    length += value.byteLength;
    if (length > MAX_TEXT_BYTES) {
      await reader?.cancel();
      return decodeText(chunks, true);
    }
  }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, and divides the text into lines. Drops a character that is cut off. */
export function decodeText(chunks: readonly Uint8Array[], isCut: boolean): ReportText {
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  const text = new TextDecoder(findEncoding(bytes)).decode(bytes, { stream: isCut });
  const lines = text.split(/\r\n|\n|\r/);
  if (!isCut && lines.at(-1) === '') lines.pop();
  return { lines, isCut };
}

function findEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Divides lines into rows. */
export const toRows = (lines: readonly string[]): readonly TextRow[] =>
  lines
    .flatMap((line, index) =>
      Array.from({ length: countRows(line) }, (_, part) => ({
        line: part === 0 ? index + 1 : null,
        text: line.slice(part * ROW_LENGTH, (part + 1) * ROW_LENGTH),
      })),
    )
    .map((row, at) => ({ at, ...row }));

const countRows = (line: string): number => Math.max(1, Math.ceil(line.length / ROW_LENGTH));

/** Finds the rows in which a match of the search begins, in any case of letters. Empty for an empty search. */
export function findMatches(lines: readonly string[], search: string): readonly number[] {
  const needle = search.toLowerCase();
  if (needle === '') return [];
  const found: number[] = [];
  let rowsBefore = 0;
  for (const line of lines) {
    const text = line.toLowerCase();
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      found.push(rowsBefore + Math.floor(at / ROW_LENGTH));
    }
    rowsBefore += countRows(line);
  }
  return found;
}

/** Divides a row into parts, every second of which matches the search. */
export function markMatches(text: string, search: string): readonly string[] {
  if (search === '') return [text];
  const escaped = search.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return text.split(new RegExp(`(${escaped})`, 'giu'));
}
