import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { ChainHead } from '../../domain/audit/hash-chain.js';
import { validateDayRange } from '../../domain/history/deployment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { AuditSearchQueries } from './audit-search.queries.js';
import type { AuditEntryDto, AuditFilter, HiddenAuditEntryDto } from './audit.dto.js';
import { AuditRepository } from './audit.repository.js';

type Entry = AuditEntryDto | HiddenAuditEntryDto;

const BATCH = 500;

/** Reads the audit log of a workspace for its admins and auditors, newest entry first. A filter leaves hidden entries out. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly search: AuditSearchQueries,
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

  private async listUpTo(tx: TenantTransaction, filter: AuditFilter | null, last: number): Promise<readonly Entry[]> {
    if (filter === null) return this.audit.listUpTo(tx, last, BATCH);
    return this.search.list(tx, filter, { last, offset: 0, limit: BATCH });
  }
}

function assertDays(filter: AuditFilter | null): void {
  const problem = filter && validateDayRange(filter);
  if (problem !== null) throw new DomainError('invalid', problem);
}
