import { describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../../../test/support/fixed-clock.js';
import type { Environment } from '../../../config/environment.js';
import type { Database, Viewer } from '../../../database/database.js';
import { toOrgId } from '../../../database/ids.js';
import type { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import type { LookupBudgetService } from '../discovery/lookup-budget.service.js';
import type { ReleaseDiscoveryService } from '../discovery/release-discovery.service.js';
import type { ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import type { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import type { ImmutableFactsService } from '../facts/immutable-facts.service.js';
import type { GateRecord, GateQueries, StoredGate } from './gate.queries.js';
import { type GateAnswer, GateService } from './gate.service.js';

const clock = new FixedClock();
const VIEWER: Viewer = { orgId: toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11'), userId: 7 };
const LATER = new Date(clock.now().getTime() + 60_000);

const openGate = (releaseId: string): StoredGate => ({
  releaseId,
  stage: 'DEPLOYMENT',
  testsPassing: true,
  evidenceApproved: true,
  candidateSha: 'a'.repeat(40),
  candidateShas: ['a'.repeat(40)],
  openUntil: LATER,
  validUntil: LATER,
  reason: null,
});

/** Sends a user's request; its lookups find the given releases one after the other. */
function check(...releaseIds: readonly string[]): Promise<GateAnswer> {
  const named = [...releaseIds];
  const gates = {
    findForViewer: async (): Promise<GateRecord> => ({
      repository: { id: 'r1', githubId: 1 },
      gate: openGate(named.shift() ?? ''),
    }),
  };
  const evaluations = {
    evaluateAndSave: async (_: unknown, releaseId: string) => ({
      verdict: { gate: { openUntil: LATER, reasons: [] }, overrides: [] },
      decisionId: `the decision about ${releaseId}`,
    }),
  };
  const database = { inTenant: (_: unknown, work: (tx: object) => unknown) => work({}) };
  const gate = new GateService(
    gates as unknown as GateQueries,
    {} as ReleaseRefreshService,
    {} as ReleaseDiscoveryService,
    evaluations as unknown as ReleaseEvaluationService,
    {} as ImmutableFactsService,
    database as unknown as Database,
    clock,
    { find: async () => null } as unknown as RepositoriesRepository,
    {} as LookupBudgetService,
    { baseUrl: 'https://shipgate.test' } as Environment,
  );
  return gate.checkForViewer(VIEWER, {
    owner: null,
    repository: 'payments',
    version: 'v1.0.0',
    digest: null,
    sha: null,
    explain: true,
    environment: null,
  });
}

describe('an explained gate', () => {
  it('uses one release and the decision about it', async () => {
    const { gate, canDeploy, explanation } = await check('one', 'one');
    expect([gate.releaseId, canDeploy, explanation?.decisionId]).toEqual(['one', true, 'the decision about one']);
  });

  it('is not found if the name belongs to another release in the meantime', async () => {
    await expect(check('one', 'another')).rejects.toMatchObject({ code: 'not_found' });
  });
});
