import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { AuditEntryDto, HiddenAuditEntryDto } from './audit.dto.js';
import { AuditRepository } from './audit.repository.js';

const BATCH = 500;

/** Reads the audit log of a workspace for its admins, newest entry first. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
  ) {}

  listPage(viewer: Viewer, page: PageRequest): Promise<Page<AuditEntryDto | HiddenAuditEntryDto>> {
    return this.database.asViewer(viewer, async (tx) => {
      const total = await this.audit.count(tx);
      return { total, items: await this.audit.listUpTo(tx, total - pageOffset(page), page.pageSize) };
    });
  }

  /** Yields the whole log in batches. Entries that are added meanwhile are not included. */
  async *listAll(viewer: Viewer): AsyncGenerator<readonly (AuditEntryDto | HiddenAuditEntryDto)[]> {
    let last = await this.database.asViewer(viewer, (tx) => this.audit.count(tx));
    for (; last > 0; last -= BATCH) {
      const upTo = last;
      // One transaction for each batch, so that a slow reader does not keep a transaction open.
      yield await this.database.asViewer(viewer, (tx) => this.audit.listUpTo(tx, upTo, BATCH));
    }
  }
}
