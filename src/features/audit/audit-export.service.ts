import { Injectable, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { csvTable } from '../../export/csv.js';
import { describeFile, ExportResponse } from '../../export/export-response.js';
import type { Cell, TableColumn } from '../../export/table.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import type { AuditEntryDto, AuditExportFormat, AuditFilter, HiddenAuditEntryDto } from './audit.dto.js';
import { AuditService } from './audit.service.js';

type Entry = AuditEntryDto | HiddenAuditEntryDto;

/** The cell of a visible entry; an empty cell for a hidden one. */
const ofVisible =
  (of: (entry: AuditEntryDto) => Cell) =>
  (entry: Entry): Cell =>
    'hidden' in entry ? null : of(entry);

const COLUMNS: readonly TableColumn<Entry>[] = [
  { heading: 'Sequence', kind: 'count', width: 12, of: ({ sequence }) => sequence },
  { heading: 'Time (UTC)', kind: 'moment', width: 20, of: ofVisible(({ at }) => at) },
  { heading: 'Actor type', kind: 'text', width: 12, of: ofVisible(({ actor }) => actor.type) },
  { heading: 'Actor', kind: 'text', width: 20, of: ofVisible(({ actor }) => actor.login ?? null) },
  { heading: 'Actor id', kind: 'text', width: 14, of: ofVisible(({ actor }) => actor.id ?? null) },
  { heading: 'Action', kind: 'text', width: 26, of: ofVisible(({ action }) => action) },
  { heading: 'Subject', kind: 'text', width: 30, of: ofVisible(({ subject }) => subject) },
  { heading: 'Data', kind: 'text', width: 60, of: ofVisible(({ data }) => JSON.stringify(data)) },
  { heading: 'Id', kind: 'id', width: 38, of: ofVisible(({ id }) => id) },
  { heading: 'Previous hash', kind: 'id', width: 66, of: ({ previousHash }) => previousHash },
  { heading: 'Hash', kind: 'id', width: 66, of: ({ hash }) => hash },
];

/** Sends the audit log of a workspace as a file. */
@Injectable()
export class AuditExportService {
  constructor(
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly files: ExportResponse,
    private readonly lists: JsonListStream,
  ) {}

  /** Sends the entries of the list, newest first. The JSON file is the list itself, so that its hashes can be verified. */
  async send(
    request: FastifyRequest,
    { org, orgId, viewer }: Member,
    filter: AuditFilter | null,
    format: AuditExportFormat,
  ): Promise<StreamableFile> {
    const batches = this.audit.listAll(viewer, filter);
    const file = describeFile('audit', { org, createdAt: this.clock.now() }, format);
    if (format === 'csv') {
      const write = (entries: AsyncIterable<readonly Entry[]>) => csvTable(COLUMNS, entries);
      return this.files.send(request, { ...file, securityPolicy: null, items: batches, write });
    }
    return this.lists.respond(request, {
      name: 'entries',
      batches,
      besides: { workspace: orgId },
      fileName: file.name,
    });
  }
}
