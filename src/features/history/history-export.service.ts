import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { csvTable } from '../../export/csv.js';
import { describeFile, type ExportFile } from '../../export/export-response.js';
import { toLine } from '../../export/table.js';
import { WorkbookThread } from '../../export/xlsx/workbook-thread.service.js';
import type { WorkbookRow } from '../../export/xlsx/workbook-writer.js';
import { HISTORY_COLUMNS } from './history-columns.js';
import type { DeploymentRecordDto, HistoryExportFormat, HistoryFilter } from './history.dto.js';
import { HistoryService } from './history.service.js';

type Batches = AsyncIterable<readonly DeploymentRecordDto[]>;

/** Exports the deployments of a workspace as files. */
@Injectable()
export class HistoryExportService {
  constructor(
    private readonly history: HistoryService,
    private readonly clock: Clock,
    private readonly workbooks: WorkbookThread,
  ) {}

  /** Returns the file with every matching deployment that the member can see, latest first. Throws the errors of the list. */
  async file(
    { org, viewer }: Member,
    filter: HistoryFilter,
    format: HistoryExportFormat,
  ): Promise<ExportFile<readonly DeploymentRecordDto[]>> {
    const subject = { org, createdAt: this.clock.now() };
    const { batches } = await this.history.readAll(viewer, filter);
    return {
      ...describeFile('history', subject, format),
      securityPolicy: null,
      items: batches,
      write: (read) => (format === 'csv' ? csvTable(HISTORY_COLUMNS, read) : this.writeWorkbook(subject, read)),
    };
  }

  private writeWorkbook(
    { org, createdAt }: { readonly org: string; readonly createdAt: Date },
    batches: Batches,
  ): AsyncIterable<Uint8Array> {
    const sheet = { name: 'Deployments', columns: HISTORY_COLUMNS };
    return this.workbooks.write({ title: `Deployments of ${org}`, createdAt, sheet, details: null }, toRows(batches));
  }
}

async function* toRows(batches: Batches): AsyncGenerator<WorkbookRow> {
  for await (const records of batches) for (const record of records) yield [toLine(HISTORY_COLUMNS, record), []];
}
