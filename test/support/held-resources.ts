import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { WorkbookThreadService } from '../../src/export/xlsx/workbook-thread.service.js';
import { AuditPackService } from '../../src/features/audit-pack/audit-pack.service.js';
import { EvidenceService } from '../../src/features/evidence/evidence.service.js';
import { ReportParserService } from '../../src/features/evidence/parsing/report-parser.service.js';
import { UploadMemoryLimit } from '../../src/features/evidence/upload/upload-memory-limit.js';
import type { TestEnvironment } from './test-environment.js';

/** Numbers of what requests hold, by name. */
type Counts = Readonly<Record<string, number>>;

/** What the requests to the service hold: threads, memory, places of downloads, and connections. */
export class HeldResources {
  constructor(private readonly env: TestEnvironment) {}

  async count(): Promise<Counts> {
    const { app, database } = this.env;
    const connections = await new Promise<number>((resolve) => {
      app.getHttpServer().getConnections((_error: unknown, count: number) => resolve(count));
    });
    const [{ parsing, waiting }, { uploads, bytes }] = [
      app.get(ReportParserService).load,
      app.get(UploadMemoryLimit).load,
    ];
    return {
      parsing,
      waiting,
      uploads,
      bytes,
      workbooks: Number(Reflect.get(app.get(WorkbookThreadService), 'running')),
      packs: countAnswers(app.get(AuditPackService)),
      reports: countAnswers(app.get(EvidenceService)),
      databaseConnections: database.pool.totalCount - database.pool.idleCount,
      databaseQueue: database.pool.waitingCount,
      connections,
    };
  }

  /** Returns what is held at rest: the service itself listens on two connections to the database. */
  async countAtRest(): Promise<Counts> {
    let least = await this.count();
    for (let tries = 0; tries < 20; tries += 1) {
      await sleep(5);
      const held = await this.count();
      least = Object.fromEntries(
        Object.entries(held).map(([what, count]) => [what, Math.min(count, least[what] ?? 0)]),
      );
    }
    return least;
  }

  /** Waits until nothing more than before is held. */
  async expectNoMoreThan(before: Counts): Promise<void> {
    let more: readonly unknown[] = [];
    for (let tries = 0; tries < 1_000; tries += 1) {
      const held = await this.count();
      more = Object.entries(held).filter(([what, count]) => count > (before[what] ?? 0));
      if (more.length === 0) return;
      await sleep(10);
    }
    expect(more).toEqual([]);
  }
}

/** Returns the number of answers that the service still counts as being sent. */
function countAnswers(service: object): number {
  const { counts } = Reflect.get(service, 'answers') as { readonly counts: ReadonlyMap<number, number> };
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
