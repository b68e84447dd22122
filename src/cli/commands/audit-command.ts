import { Clock } from '../../config/clock.js';
import type { Database } from '../../database/database.js';
import {
  AuditVerificationService,
  type ChainReport,
  type TrustedChainHead,
} from '../../features/audit/audit-verification.service.js';
import { AuditRepository } from '../../features/audit/audit.repository.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';

const HEAD = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})=(0(?=:0{64}$)|[1-9]\d{0,14}):([0-9a-f]{64})$/;

/** Parses a head in the format of a report, `WORKSPACE=NUMBER:HASH`; null if the text is not one. */
export function parseHead(text: string): TrustedChainHead | null {
  const [, orgId, sequence, hash] = HEAD.exec(text) ?? [];
  if (orgId === undefined || sequence === undefined || hash === undefined) return null;
  return { orgId, sequence: Number(sequence), hash };
}

/** Verifies the audit log of every workspace, prints a report for each, and returns whether all are intact. */
export async function verifyAudit(
  database: Database,
  trusted: readonly TrustedChainHead[],
  print: (line: string) => void,
): Promise<boolean> {
  const clock = new Clock();
  const verification = new AuditVerificationService(
    database,
    new AuditRepository(clock),
    new WorkspacesQueries(database),
  );
  let isIntact = true;
  let reports = 0;
  for await (const report of verification.verify(trusted)) {
    isIntact &&= report.fault === null;
    reports += 1;
    print(formatReport(report));
  }
  if (reports === 0) print('There is no workspace.');
  return isIntact;
}

function formatReport({ login, orgId, head, fault }: ChainReport): string {
  const state = fault === null ? 'intact' : `NOT INTACT at entry ${fault.sequence}: ${fault.detail}`;
  return `${login}  ${head.sequence} entries  ${orgId}=${head.sequence}:${head.hash}  ${state}`;
}
