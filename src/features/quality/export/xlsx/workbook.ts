import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ReleaseGroup } from '../../release-quality.js';
import { type Cell, RELEASE_COLUMNS, RESULT_COLUMNS, resultsOf, type TableColumn } from '../columns.js';
import { RowSource, TextSpool } from '../row-buffers.js';
import { MAX_SHEET_ROWS, printedColumns, sheetXml } from './sheet.js';
import { type Sheet, type WorkbookSubject, workbookParts } from './workbook-parts.js';

/** XML repeats itself so much that little effort packs it well, and others wait for the same processor. */
const COMPRESSION_LEVEL = 1;

/**
 * A workbook with a sheet of releases and one of their results; what does not fit on one goes on on the next. The results
 * are written as they are read, and the releases, of which there are fewer, wait for their turn.
 */
export async function* qualityWorkbook(
  subject: WorkbookSubject,
  groups: AsyncIterable<ReleaseGroup>,
  maxRows = MAX_SHEET_ROWS,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const left = new AbortController();
  const written = new Workbook(zip, subject, maxRows, left.signal)
    .write(groups)
    .catch((error: unknown) => void output.destroy(error as Error));
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    left.abort();
    await written;
  }
}

class Workbook {
  #parts = 0;

  constructor(
    private readonly zip: ZipFile,
    private readonly subject: WorkbookSubject,
    private readonly maxRows: number,
    private readonly left: AbortSignal,
  ) {}

  async write(groups: AsyncIterable<ReleaseGroup>): Promise<void> {
    const releases = new TextSpool();
    const results = await this.table('Results', RESULT_COLUMNS, RowSource.of(spooling(groups, releases), resultsOf));
    const sheets = await this.table('Releases', SPOOLED_COLUMNS, RowSource.of(releases.drain(), linesOf));
    for (const { path, xml } of workbookParts([...sheets, ...results], this.subject)) {
      this.zip.addBuffer(Buffer.from(xml, 'utf8'), path, this.entry);
    }
    this.zip.end();
  }

  /** As many sheets as the rows need, and one where there are none. */
  private async table<Row>(
    name: string,
    columns: readonly TableColumn<Row>[],
    rows: RowSource<Row>,
  ): Promise<readonly Sheet[]> {
    const sheets: Sheet[] = [];
    do {
      const sheet = {
        name: sheets.length === 0 ? name : `${name} ${sheets.length + 1}`,
        part: this.nextPart(),
        printed: printedColumns(columns),
      };
      const xml = Readable.from(sheetXml(columns, rows, this.maxRows), { signal: this.left });
      this.zip.addReadStream(xml, sheet.part, this.entry);
      // Not before it has gone out: the next one would otherwise be made beside it, and wait in memory.
      await finished(xml);
      sheets.push(sheet);
    } while (await rows.hasMore());
    return sheets;
  }

  private nextPart(): string {
    this.#parts += 1;
    return `xl/worksheets/sheet${this.#parts}.xml`;
  }

  private get entry(): { readonly mtime: Date; readonly compressionLevel: number } {
    return { mtime: this.subject.madeAt, compressionLevel: COMPRESSION_LEVEL };
  }
}

type Line = readonly Cell[];

const SPOOLED_COLUMNS: readonly TableColumn<Line>[] = RELEASE_COLUMNS.map((column, at) => ({
  ...column,
  of: (line) => line[at] ?? null,
}));

async function* spooling(groups: AsyncIterable<ReleaseGroup>, spool: TextSpool): AsyncGenerator<ReleaseGroup> {
  for await (const group of groups) {
    await spool.add(`${JSON.stringify(RELEASE_COLUMNS.map(({ of }) => of(group)))}\n`);
    yield group;
  }
}

const linesOf = (block: string): readonly Line[] =>
  block
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
