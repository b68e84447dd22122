import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { offsetOf, type Page, type PageRequest } from '../../http/pagination/page-request.js';
import { type AuditEntry, AuditReader } from './audit.reader.js';

const BATCH = 500;

/** The audit log of a workspace as its admins read it, the newest entry first. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditReader,
  ) {}

  listPage(viewer: Viewer, page: PageRequest): Promise<Page<AuditEntry>> {
    return this.database.asViewer(viewer, async (tx) => ({
      total: await this.audit.count(tx),
      items: await this.audit.listPage(tx, page.pageSize, offsetOf(page)),
    }));
  }

  /** All of it, batch by batch; what is added meanwhile is left to the next reader. */
  async *listAll(viewer: Viewer): AsyncGenerator<readonly AuditEntry[]> {
    let before: string | null = null;
    do {
      // A transaction for each batch: a reader who takes hours over the whole holds none open.
      const batch: Awaited<ReturnType<AuditReader['listBefore']>> = await this.database.asViewer(viewer, (tx) =>
        this.audit.listBefore(tx, before, BATCH),
      );
      if (batch.entries.length > 0) yield batch.entries;
      before = batch.entries.length < BATCH ? null : batch.last;
    } while (before !== null);
  }
}
