import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { csvTable } from '../../export/csv.js';
import { describeFile, type ExportFile } from '../../export/export-response.js';
import { toLine, type TableColumn } from '../../export/table.js';
import { WorkbookThreadService } from '../../export/xlsx/workbook-thread.service.js';
import type { WorkbookRow } from '../../export/xlsx/workbook-writer.js';
import type { DeploymentRecordDto, HistoryExportFormat, HistoryFilter, RecordedOverrideDto } from './history.dto.js';
import { HistoryService } from './history.service.js';

/** The name of an API key replaces that of its source. */
const SOURCE_NAMES = { github: 'GitHub', run: 'CI run', api_key: 'API key', manual: 'by hand' } as const;

/** The columns of an export, one row per deployment. */
const HISTORY_COLUMNS: readonly TableColumn<DeploymentRecordDto>[] = [
  { heading: 'Deployed (UTC)', kind: 'moment', width: 20, of: ({ deployedAt }) => deployedAt },
  { heading: 'Organization', kind: 'text', width: 18, of: ({ org }) => org },
  { heading: 'Repository', kind: 'text', width: 26, of: ({ repo }) => repo },
  { heading: 'Version', kind: 'text', width: 16, of: ({ version }) => version },
  { heading: 'Kind', kind: 'text', width: 14, of: ({ kind }) => kind },
  { heading: 'Environment', kind: 'text', width: 16, of: ({ environment }) => environment },
  { heading: 'Deployed by', kind: 'text', width: 18, of: ({ deployedBy }) => deployedBy },
  { heading: 'Source', kind: 'text', width: 18, of: ({ source, keyName }) => keyName ?? SOURCE_NAMES[source] },
  { heading: 'Run', kind: 'text', width: 40, of: ({ runUrl }) => runUrl },
  { heading: 'Approvers', kind: 'text', width: 24, of: ({ approvers }) => listed(approvers, ', ') },
  { heading: 'Score', kind: 'decimal', width: 10, of: ({ score }) => score },
  { heading: 'Lead time (s)', kind: 'count', width: 17, of: ({ leadTimeSeconds }) => leadTimeSeconds },
  {
    heading: 'Overrides',
    kind: 'text',
    width: 48,
    of: ({ overrides }) => listed(overrides.map(describeOverride), ' '),
  },
  { heading: 'Note', kind: 'text', width: 48, of: ({ note }) => note },
  { heading: 'Commit', kind: 'id', width: 42, of: ({ candidateSha }) => candidateSha },
  { heading: 'Release id', kind: 'id', width: 38, of: ({ milestoneId }) => milestoneId },
  { heading: 'Decision id', kind: 'id', width: 38, of: ({ decisionId }) => decisionId },
  { heading: 'Deployment id', kind: 'id', width: 38, of: ({ id }) => id },
];

const OVERRIDE_NAMES = { waiver: 'Waiver', break_glass: 'Break-glass' } as const;

const describeOverride = ({ kind, requestedBy, confirmedBy, reason }: RecordedOverrideDto): string =>
  `${OVERRIDE_NAMES[kind]} by ${requestedBy}, confirmed by ${confirmedBy}: ${reason}`;

const listed = (texts: readonly string[], separator: string): string | null =>
  texts.length === 0 ? null : texts.join(separator);

type Batches = AsyncIterable<readonly DeploymentRecordDto[]>;

/** Exports the deployments of a workspace as files. */
@Injectable()
export class HistoryExportService {
  constructor(
    private readonly history: HistoryService,
    private readonly clock: Clock,
    private readonly workbooks: WorkbookThreadService,
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
