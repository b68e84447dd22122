import { CSV_LINE_END, csvFields, csvHeader } from '../../../export/csv.js';
import type { ReleaseGroupDto } from '../quality.dto.js';
import {
  COMPARISON_COLUMNS,
  OWN_RESULT_COLUMNS,
  RELEASE_ID_COLUMN,
  RELEASE_NAME_COLUMNS,
  SCORECARD_COLUMNS,
} from './columns.js';

const RELEASE_COLUMNS = [...RELEASE_NAME_COLUMNS, ...SCORECARD_COLUMNS, ...COMPARISON_COLUMNS, RELEASE_ID_COLUMN];

/** Writes the results as CSV with a header line. Each line contains the columns of the release. Yields one chunk per release. */
export async function* csvLines(groups: AsyncIterable<ReleaseGroupDto>): AsyncGenerator<string> {
  yield csvHeader([...RELEASE_COLUMNS, ...OWN_RESULT_COLUMNS]);
  for await (const group of groups) {
    // Written once per release, because it has many lines.
    const release = csvFields(RELEASE_COLUMNS, group);
    let lines = '';
    for (const result of group.results) lines += `${release},${csvFields(OWN_RESULT_COLUMNS, result)}${CSV_LINE_END}`;
    yield lines;
  }
}
