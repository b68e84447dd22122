import { toLine } from '../../../export/table.js';
import type { WorkbookThreadService } from '../../../export/xlsx/workbook-thread.service.js';
import type { WorkbookRow } from '../../../export/xlsx/workbook-writer.js';
import type { ReleaseGroupDto } from '../quality.dto.js';
import { OWN_RESULT_COLUMNS, RELEASE_COLUMNS, RELEASE_NAME_COLUMNS, RESULT_COLUMNS } from './columns.js';

/** Writes a workbook with a sheet of releases and a sheet of their results. */
export const qualityWorkbook = (
  thread: WorkbookThreadService,
  { org, createdAt }: { readonly org: string; readonly createdAt: Date },
  groups: AsyncIterable<ReleaseGroupDto>,
  maxRows?: number,
): AsyncGenerator<Uint8Array> =>
  thread.write(
    {
      title: `Release quality of ${org}`,
      createdAt,
      sheet: { name: 'Releases', columns: RELEASE_COLUMNS },
      // The name of the release before the result, and its id behind it.
      details: { name: 'Results', columns: RESULT_COLUMNS, leading: RELEASE_NAME_COLUMNS.length, trailing: 1 },
    },
    toRows(groups),
    maxRows,
  );

async function* toRows(groups: AsyncIterable<ReleaseGroupDto>): AsyncGenerator<WorkbookRow> {
  for await (const group of groups)
    yield [toLine(RELEASE_COLUMNS, group), group.results.map((result) => toLine(OWN_RESULT_COLUMNS, result))];
}
