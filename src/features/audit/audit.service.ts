import { Injectable, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { ChainHead } from '../../domain/audit/hash-chain.js';
import { validateDayRange } from '../../domain/history/deployment.js';
import { csvTable } from '../../export/csv.js';
import { describeFile, ExportResponse } from '../../export/export-response.js';
import type { Cell, TableColumn } from '../../export/table.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { AuditSearchQueries } from './audit-search.queries.js';
import type { AuditEntryDto, AuditExportFormat, AuditFilter, HiddenAuditEntryDto } from './audit.dto.js';
import { AuditRepository } from './audit.repository.js';

type Entry = AuditEntryDto | HiddenAuditEntryDto;

const BATCH = 500;

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

/** Reads the audit log of a workspace for its admins and auditors, newest entry first. A filter leaves hidden entries out. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly search: AuditSearchQueries,
    private readonly clock: Clock,
    private readonly files: ExportResponse,
    private readonly lists: JsonListStream,
  ) {}

  /** Returns the last entry, also if it is hidden from the viewer. */
  async getHead(viewer: Viewer): Promise<ChainHead> {
    return this.database.asViewer(viewer, (tx) => this.audit.getHead(tx));
  }

  /** Throws `invalid` for days that do not exist or are in the wrong order. */
  async listPage(viewer: Viewer, filter: AuditFilter | null, page: PageRequest): Promise<Page<Entry>> {
    assertDays(filter);
    return this.database.asViewer(viewer, async (tx) => {
      const { sequence: last } = await this.audit.getHead(tx);
      const [offset, limit] = [pageOffset(page), page.pageSize];
      if (filter === null) return { total: last, items: await this.audit.listUpTo(tx, last - offset, limit) };
      return {
        total: await this.search.count(tx, filter, last),
        items: await this.search.list(tx, filter, { last, offset, limit }),
      };
    });
  }

  /** Yields the whole log in batches. Entries that are added meanwhile are not included. Throws the same errors as `listPage`. */
  async *listAll(viewer: Viewer, filter: AuditFilter | null): AsyncGenerator<readonly Entry[]> {
    assertDays(filter);
    const reads = this.database.openLongRead(viewer);
    let { sequence: last } = await reads.read((tx) => this.audit.getHead(tx));
    while (last > 0) {
      const upTo = last;
      // One transaction for each batch, so that a slow reader does not keep a transaction open.
      const batch = await reads.read((tx) => this.listUpTo(tx, filter, upTo));
      yield batch;
      // The numbers of matching entries have gaps.
      if (filter === null) last -= BATCH;
      else last = batch.length < BATCH ? 0 : (batch.at(-1)?.sequence ?? 0) - 1;
    }
  }

  /** Sends the entries of the list, newest first. The JSON file is the list itself, so that its hashes can be verified. */
  async export(
    request: FastifyRequest,
    { org, orgId, viewer }: Member,
    filter: AuditFilter | null,
    format: AuditExportFormat,
  ): Promise<StreamableFile> {
    const batches = this.listAll(viewer, filter);
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

  private async listUpTo(tx: TenantTransaction, filter: AuditFilter | null, last: number): Promise<readonly Entry[]> {
    if (filter === null) return this.audit.listUpTo(tx, last, BATCH);
    return this.search.list(tx, filter, { last, offset: 0, limit: BATCH });
  }
}

function assertDays(filter: AuditFilter | null): void {
  const problem = filter && validateDayRange(filter);
  if (problem !== null) throw new DomainError('invalid', problem);
}
